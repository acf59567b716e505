import type { AuditEntry } from '../audit.entity.js';

/** Sends entries to a collector. */
export interface AuditSender {
  /** Resolves when the collector has accepted them, as far as its protocol reports it. */
  send(entries: AuditEntry[], signal: AbortSignal): Promise<void>;
  close(): void;
}
