import type { AuditEntry } from '../audit.entity.js';
import { AuditEntryView } from '../audit.view.js';
import type { AuditSender } from './audit-sender.js';

const TIMEOUT_MS = 10_000;
/** The severity numbers of OpenTelemetry. */
const INFO = 9;
const WARN = 13;

/** Log records of OpenTelemetry, as JSON over HTTP. */
export class OtlpSender implements AuditSender {
  constructor(private readonly url: string) {}

  async send(entries: AuditEntry[], signal: AbortSignal): Promise<void> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(toLogs(entries)),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered ${response.status}`);
  }

  close(): void {
    // Connections belong to the client of the process.
  }
}

function toLogs(entries: AuditEntry[]): object {
  const observed = `${Date.now()}000000`;
  return {
    resourceLogs: [
      {
        resource: { attributes: toAttributes({ 'service.name': 'armature' }) },
        scopeLogs: [
          {
            scope: { name: 'audit' },
            logRecords: entries.map((entry) => ({
              timeUnixNano: `${entry.createdAt.getTime()}000000`,
              observedTimeUnixNano: observed,
              severityNumber: entry.outcome === 'refused' ? WARN : INFO,
              severityText: entry.outcome === 'refused' ? 'WARN' : 'INFO',
              eventName: entry.action,
              body: { stringValue: JSON.stringify(AuditEntryView.fromEntity(entry)) },
              attributes: toAttributes({
                'audit.chain': entry.chain,
                'audit.sequence': entry.sequence,
                'audit.outcome': entry.outcome,
                'audit.resource.type': entry.resourceType,
                ...(entry.resourceId ? { 'audit.resource.id': entry.resourceId } : {}),
                ...(entry.actorId ? { 'enduser.id': entry.actorId } : {}),
              }),
            })),
          },
        ],
      },
    ],
  };
}

const toAttributes = (values: Record<string, string>): object[] =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
