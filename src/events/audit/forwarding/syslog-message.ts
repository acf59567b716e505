import { Buffer } from 'node:buffer';
import os from 'node:os';
import process from 'node:process';
import type { AuditEntry } from '../audit.entity.js';
import { AuditEntryView } from '../audit.view.js';

/** RFC 5424: the facility of log audits, and the severities of what was done and what was refused. */
const FACILITY = 13;
const INFORMATIONAL = 6;
const WARNING = 4;
const MAX_MESSAGE_ID = 32;
const MAX_HOSTNAME = 255;

/** One entry as a message of RFC 5424, whose text is the entry as the list has it. */
export function toSyslogMessage(entry: AuditEntry, maxBytes = Infinity): Buffer {
  const priority = FACILITY * 8 + (entry.outcome === 'refused' ? WARNING : INFORMATIONAL);
  const time = entry.createdAt.toISOString();
  const head = `<${priority}>1 ${time} ${printable(os.hostname(), MAX_HOSTNAME)} armature ${process.pid} ${printable(entry.action, MAX_MESSAGE_ID)} - `;
  const view = AuditEntryView.fromEntity(entry);
  const whole = Buffer.from(head + JSON.stringify(view));
  if (whole.length <= maxBytes) return whole;
  // The changes are left out when the message is too long for a datagram; its hash identifies the entry.
  return Buffer.from(head + JSON.stringify({ ...view, before: null, after: null, changes: [], metadata: null }));
}

/** Visible ASCII, as RFC 5424 has it for its fields. */
const printable = (text: string, longest: number): string =>
  text.replace(/[^\x21-\x7e]/g, '_').slice(0, longest) || '-';
