import type { Env } from '../../../core/config/env.js';
import { Conflict } from '../../../core/errors/app-error.js';

/** Checks that this server watches clusters. @throws Conflict WATCH_DISABLED */
export function assertWatching({ CLUSTER_WATCH }: Pick<Env, 'CLUSTER_WATCH'>): void {
  if (CLUSTER_WATCH) return;
  throw new Conflict('WATCH_DISABLED', 'clusters are not watched by this server', {
    remedy: 'Ask the operator of the server to set CLUSTER_WATCH=on.',
  });
}
