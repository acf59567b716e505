/** Places in the memory that the event loop and the watchdog share. */
export const HEARTBEATS = 0;
export const DEADLINE_MS = 1;
export const BLOCK_COUNT = 2;
export const LONGEST_BLOCK_MS = 3;
export const SLOT_COUNT = 4;

/** How often the loop gives a sign of life, and the watchdog looks for one. */
export const HEARTBEAT_MS = 250;

export interface WatchdogOptions {
  memory: SharedArrayBuffer;
  /** Lines as JSON, else as text. */
  json: boolean;
  /** Whether a process is ended whose event loop is blocked for too long; a debugger blocks it on purpose. */
  endsBlocked: boolean;
}
