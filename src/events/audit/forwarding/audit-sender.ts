import type { AuditEntry } from '../audit.entity.js';

/** A collector that asks for a pause. */
export class CollectorBusy extends Error {
  constructor(
    message: string,
    readonly pauseMs: number,
  ) {
    super(message);
  }
}

/** Sends entries to a collector. */
export interface AuditSender {
  /**
   * Resolves when the collector has accepted the entries, as far as its protocol reports it.
   * @returns a description of the entries that it rejected permanently, if any
   */
  send(entries: AuditEntry[], signal: AbortSignal): Promise<string | void>;
  close(): void;
}
