/** Indexes into the memory that the event loop and the watchdog thread share. */
export const HEARTBEATS = 0;
export const DEADLINE_MS = 1;
export const BLOCK_COUNT = 2;
export const LONGEST_BLOCK_MS = 3;
/** The process that is stopped with this one. */
export const STOPPED_WITH = 4;
/** Whether the server is ready; a start blocks the loop while it loads and compiles, and nobody waits for a response. */
export const IS_READY = 5;
export const SLOT_COUNT = 6;

/** The interval of heartbeats of the event loop, and of the watchdog's checks. */
export const HEARTBEAT_MS = 250;

export interface WatchdogOptions {
  memory: SharedArrayBuffer;
  /** Log lines as JSON instead of text. */
  json: boolean;
  /** Whether to kill a process whose event loop stays blocked; false under a debugger, which blocks it on purpose. */
  endsBlocked: boolean;
}
