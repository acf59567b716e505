import type { ComponentChildren, ComponentType } from 'preact';
import { addressOf } from './router.js';

export type ScreenComponent = ComponentType<{ id: string }>;

/** Each screen is a file of its own, loaded when it is opened first. */
export const SCREENS: [pattern: RegExp, load: () => Promise<{ default: ScreenComponent }>][] = [
  [/^\/$/, () => import('./screens/attention.js')],
  [/^\/designs$/, () => import('./screens/designs.js')],
  [/^\/designs\/([^/]+)$/, () => import('./screens/design.js')],
  [/^\/deployments\/([^/]+)$/, () => import('./screens/deployment.js')],
  [/^\/deployments\/([^/]+)\/plan$/, () => import('./screens/plan.js')],
  [/^\/workspaces\/([^/]+)$/, () => import('./screens/workspace.js')],
  [/^\/workspaces\/([^/]+)\/import$/, () => import('./screens/import.js')],
  [/^\/environments\/([^/]+)$/, () => import('./screens/environment.js')],
  [/^\/organizations\/([^/]+)\/connections$/, () => import('./screens/connections.js')],
  [/^\/organizations\/([^/]+)\/members$/, () => import('./screens/members.js')],
  [/^\/notifications$/, () => import('./screens/notifications.js')],
  [/^\/account$/, () => import('./screens/account.js')],
];

/** The server may know more screens than this version has. */
export const hasScreen = (path: string): boolean =>
  SCREENS.some(([pattern]) => pattern.test(path.replace(/\?.*/s, '')));

/** Leads to the screen of a record, where there is one. */
export const RecordLink = ({ path, children }: { path: string; children: ComponentChildren }) =>
  hasScreen(path) ? <a href={addressOf(path)}>{children}</a> : <>{children}</>;
