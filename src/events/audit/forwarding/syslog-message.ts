import { Buffer } from 'node:buffer';
import os from 'node:os';
import process from 'node:process';
import type { AuditEntry } from '../audit.entity.js';
import { AuditEntryView } from '../audit.view.js';

/** RFC 5424: the facility `log audit`, and the severities of allowed and refused operations. */
const FACILITY = 13;
const INFORMATIONAL = 6;
const WARNING = 4;
const MAX_MESSAGE_ID = 32;
const MAX_HOSTNAME = 255;

/** Formats an entry as a message of RFC 5424 whose text is the `AuditEntryView` as JSON. */
export function toSyslogMessage(entry: AuditEntry, maxBytes = Infinity): Buffer {
  const priority = FACILITY * 8 + (entry.outcome === 'refused' ? WARNING : INFORMATIONAL);
  const time = entry.createdAt.toISOString();
  const head = `<${priority}>1 ${time} ${printable(os.hostname(), MAX_HOSTNAME)} armature ${process.pid} ${printable(entry.action, MAX_MESSAGE_ID)} - `;
  const view = AuditEntryView.fromEntity(entry);
  const whole = Buffer.from(head + JSON.stringify(view));
  if (whole.length <= maxBytes) return whole;
  // A message that is too long for a datagram omits the changes; the hash identifies the entry.
  return Buffer.from(head + JSON.stringify({ ...view, before: null, after: null, changes: [], metadata: null }));
}

/** Limits a header field to visible ASCII, as RFC 5424 requires. */
const printable = (text: string, longest: number): string =>
  text.replace(/[^\x21-\x7e]/g, '_').slice(0, longest) || '-';
