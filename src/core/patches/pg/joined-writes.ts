import type pg from 'pg';
import { speedPatches } from '../speed.js';

/**
 * Corks the socket of a client (pg 8, `client.connection.stream`) until the end of a turn of the event loop, so that
 * statements of one turn, such as START TRANSACTION and the first one, leave in one write. Saves a packet and a system
 * call for each further statement; not measured on its own.
 * @returns call it before each statement
 */
export function joinWritesOf(client: pg.Client): () => void {
  if (!speedPatches.areApplied) return () => undefined;
  let isJoining = false;
  return () => {
    if (isJoining) return;
    isJoining = true;
    const { stream } = client.connection;
    stream.cork();
    const write = (): void => {
      isJoining = false;
      stream.uncork();
    };
    // Runs after all promises of this turn, also when the turn began with a callback, after which `nextTick`
    // alone would run first.
    queueMicrotask(() => process.nextTick(write));
  };
}
