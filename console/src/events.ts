import { ArmatureError, type EventView } from '@armature/client';
import { followEvents, isSignedInAgain, type OperationName, refresh } from './api.js';
import { lookForNewerPage } from './newer-page.js';
import { root } from './router.js';

/** Which events change what a call answers. */
const CATEGORIES: Partial<Record<OperationName, string[]>> = {
  listWorkspaces: ['workspace'],
  getWorkspace: ['workspace'],
  getWorkspacePermissions: ['workspace'],
  listWorkspaceEnvironments: ['workspace', 'environment'],
  listEnvironments: ['environment', 'workspace'],
  getEnvironment: ['environment'],
  listEnvironmentConnections: ['environment', 'connection'],
  listFreezes: ['environment', 'freeze'],
  listDesigns: ['design'],
  getDesign: ['design'],
  listDesignVersions: ['design'],
  listDesignDeployments: ['deployment'],
  listDeployments: ['deployment'],
  getDeployment: ['deployment'],
  getDesignDrift: ['deployment'],
  renderDesignDiagram: ['design'],
  renderDeploymentDiagram: ['deployment'],
  getDeploymentPlan: ['deployment'],
  listConnections: ['connection', 'environment'],
  listTokens: ['token'],
  listAttention: ['deployment', 'connection', 'webhook', 'environment', 'freeze'],
};
/** Any event may be one of these. */
const OF_ANY_EVENT = new Set<OperationName>(['listNotifications', 'listEvents']);
/** They may show or hide anything. */
const OF_RIGHTS = new Set(['member', 'team', 'organization']);

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function apply(event: EventView): void {
  if (OF_RIGHTS.has(event.category)) return refresh();
  const text = JSON.stringify(event);
  refresh((operation, options) => {
    if (OF_ANY_EVENT.has(operation)) return true;
    if (!CATEGORIES[operation]?.includes(event.category)) return false;
    const ids = JSON.stringify(options ?? {}).match(ID) ?? [];
    return ids.length === 0 || ids.some((id) => text.includes(id));
  });
}

type Message = { organization: string; event: EventView } | { organization: string; reopened: true };

let stop: AbortController | null = null;

/** Follows the events of an organization: one tab opens the stream, and tells the others. */
export function follow(organization: string): void {
  stop?.abort();
  stop = new AbortController();
  const { signal } = stop;
  const tabs = new BroadcastChannel(`armature-events ${root.pathname}`);
  signal.addEventListener('abort', () => tabs.close());
  tabs.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.organization !== organization) return;
    if ('event' in data) apply(data.event);
    else refresh();
  };
  /** @param isHeir whether another tab led before, whose last events may not have come */
  const lead = async (isHeir: boolean): Promise<void> => {
    const tell = (message: Message): void => {
      if (!signal.aborted) tabs.postMessage(message);
    };
    let opened = 0;
    // After a break or a change of rights, what is shown may be old or no longer be for these eyes.
    const onOpen = (): void => {
      opened += 1;
      if (opened === 1 && !isHeir) return;
      refresh();
      void lookForNewerPage();
      tell({ organization, reopened: true });
    };
    while (!signal.aborted)
      try {
        for await (const event of followEvents(organization, signal, onOpen)) {
          apply(event);
          tell({ organization, event });
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(await isSignedInAgain(error)))
          await pause(error instanceof ArmatureError && error.status === 403 ? 60_000 : 5_000);
      }
  };
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return void lead(false);
  const name = `armature-events ${root.pathname} ${organization}`;
  void (async () => {
    const isLed = await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await lead(false);
      return lock === null;
    });
    if (isLed) await locks.request(name, { signal }, () => lead(true));
  })().catch(() => undefined);
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
