import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../core/errors/app-error.js';
import type { ClusterClient } from '../clusters/cluster-client.js';
import type { ResourceKind } from '../clusters/discovery.js';
import { sanitizeClusterText } from '../clusters/sanitize-cluster-text.js';

/** The timeout of finalizers. */
export const GONE_TIMEOUT_MS = 90_000;
const POLL_MS = 500;

/** An object that is being deleted. */
export interface TerminatingObject {
  kind: ResourceKind;
  name: string;
  namespace?: string;
  uid?: string;
}

/**
 * Waits until the object is gone or replaced by another of the same name.
 * @throws AppError CONTROLLER_NOT_REMOVED listing its finalizers
 */
export async function waitUntilGone(
  client: ClusterClient,
  { kind, name, namespace, uid }: TerminatingObject,
  end: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const live = await client.lookup(kind, name, namespace, signal);
    if (!live || live.metadata.uid !== uid) return;
    if (performance.now() > end) throw notRemoved(kind.kind, name, live.metadata.finalizers ?? []);
    await pause(POLL_MS, undefined, { signal });
  }
}

function notRemoved(kind: string, name: string, finalizers: string[]): AppError {
  const what = `${kind} ${name} is being deleted but not gone yet`;
  const why = finalizers.length > 0 ? `: it waits for ${sanitizeClusterText(finalizers.join(', '))}` : '';
  return new AppError(422, 'CONTROLLER_NOT_REMOVED', 'Not removed', `${what}${why}`, {
    remedy: 'Check on the cluster what its finalizers wait for, then try again.',
  });
}
