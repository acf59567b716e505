import type { Actor } from './actor.js';

/** The longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Calls the listener when the token of an actor expires, for what outlives the request that it authenticated.
 * @returns a function that stops waiting
 */
export function whenExpired({ expiresAt }: Pick<Actor, 'expiresAt'>, listener: () => void): () => void {
  if (expiresAt === null) return () => undefined;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = expiresAt - Date.now();
    if (left <= 0) return listener();
    timer = setTimeout(wait, Math.min(left, MAX_DELAY_MS)).unref();
  };
  timer = setTimeout(wait, 0).unref();
  return () => clearTimeout(timer);
}
