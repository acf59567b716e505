import type { AuditEntry } from '../audit.entity.js';
import { AuditEntryView } from '../audit.view.js';
import { type AuditSender, CollectorBusy } from './audit-sender.js';

const TIMEOUT_MS = 10_000;
/** The maximum length of the entries in one request, far below the limits of collectors. */
const MAX_REQUEST_LENGTH = 4 * 1024 * 1024;
const MAX_ANSWER_LENGTH = 65_536;
/** The severity numbers of OpenTelemetry. */
const INFO = 9;
const WARN = 13;

/** Sends entries as OpenTelemetry log records (OTLP), as JSON over HTTP. */
export class OtlpSender implements AuditSender {
  constructor(private readonly url: string) {}

  async send(entries: AuditEntry[], signal: AbortSignal): Promise<string | void> {
    const reports: string[] = [];
    for (const part of splitByLength(entries)) reports.push(await this.post(part, signal));
    return reports.filter((report) => report !== '').join('; ');
  }

  close(): void {
    // The global HTTP client of the process owns the connections.
  }

  private async post(entries: AuditEntry[], signal: AbortSignal): Promise<string> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(toLogs(entries)),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const answer = await readStart(response);
    if (response.ok) return describeRefused(answer);
    const seconds = Number(response.headers.get('retry-after'));
    throw new CollectorBusy(`the collector answered ${response.status}`, seconds > 0 ? seconds * 1000 : 0);
  }
}

/** Reads at most the first `MAX_ANSWER_LENGTH` characters of a response. */
async function readStart(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_ANSWER_LENGTH) break;
  }
  return text;
}

/** Describes the `partialSuccess` of OTLP: rejected records, which must not be sent again. */
function describeRefused(answer: string): string {
  let partial: { rejectedLogRecords?: unknown; errorMessage?: unknown } | undefined;
  try {
    partial = (JSON.parse(answer) as { partialSuccess?: typeof partial } | null)?.partialSuccess;
  } catch {
    return '';
  }
  const count = Number(partial?.rejectedLogRecords ?? 0);
  const reason = typeof partial?.errorMessage === 'string' ? partial.errorMessage.slice(0, 500) : 'without a reason';
  return count > 0 ? `${count} records, ${reason}` : '';
}

/** Splits entries into the contents of requests of at most `MAX_REQUEST_LENGTH`, in order. */
function splitByLength(entries: AuditEntry[]): AuditEntry[][] {
  const parts: AuditEntry[][] = [];
  let length = Infinity;
  for (const entry of entries) {
    const own = (entry.details?.length ?? 0) + (entry.personal?.length ?? 0);
    length += own;
    if (length > MAX_REQUEST_LENGTH) {
      parts.push([]);
      length = own;
    }
    parts.at(-1)?.push(entry);
  }
  return parts;
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
