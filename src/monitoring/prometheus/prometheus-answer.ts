import { type AppError, InvalidRequest, RemoteFailure, truncate } from '../../core/errors/app-error.js';
import { INLINE_MAX_BYTES } from '../../core/json/json-chunks.js';
import type { OutboundResponse } from '../../core/outbound/outbound-request.js';
import { defineTask, type Task } from '../../core/workers/task.js';
import { unexpectedResponse } from '../../connections/kinds/http-server.js';
import { type Answer, isRecord, type Json, parseAnswer, writeAnswer } from '../answer.js';

const NAME = 'Prometheus';
const MAX_REASON_LENGTH = 500;
/** User information in a URL: messages may contain URLs of servers that Prometheus reads from. */
const USER_OF_URL = /\/\/[^\s/@]{1,500}@/g;
const TRUNCATED = 'results truncated due to limit';

/** Prepares a successful answer: its bytes are returned unchanged, unless it has more items than the limit. */
export const prometheusTask: Task<Answer, Uint8Array<ArrayBuffer>> = defineTask(import.meta.url, {
  readPrometheusAnswer,
});

export function readPrometheusAnswer(answer: Answer): Uint8Array<ArrayBuffer> {
  const value = parseAnswer(answer, NAME);
  if (!isRecord(value) || value['status'] !== 'success' || !('data' in value)) throw unexpectedResponse(NAME);
  const data = limitData(value['data'], answer.limit ?? Infinity);
  if (data === value['data']) return answer.bytes;
  const warnings = Array.isArray(value['warnings']) ? (value['warnings'] as unknown[]) : [];
  return writeAnswer({ ...value, data, warnings: [...warnings, TRUNCATED] }, NAME);
}

/** Names, metrics or series up to a limit, which older versions of Prometheus do not support; the same data when it is within the limit. */
function limitData(data: unknown, limit: number): unknown {
  if (Array.isArray(data)) return data.length > limit ? (data.slice(0, limit) as unknown[]) : data;
  if (!isRecord(data)) return data;
  if ('resultType' in data) {
    const isSeries = data['resultType'] === 'vector' || data['resultType'] === 'matrix';
    const result = isSeries ? limitData(data['result'], limit) : data['result'];
    return result === data['result'] ? data : { ...data, result };
  }
  const metrics = Object.entries(data);
  return metrics.length > limit ? Object.fromEntries(metrics.slice(0, limit)) : data;
}

/** The error of a query: 400 when Prometheus refuses it, 504 when it took too long. */
export function explainPrometheusError(
  { status, bytes }: OutboundResponse,
  redact: (text: string) => string,
): AppError | undefined {
  const { errorType, error } = parseError(bytes);
  if (errorType === 'timeout')
    return new RemoteFailure('OUTBOUND_TIMEOUT', 'Prometheus did not evaluate the query in time', {
      timedOut: true,
      remedy: 'Ask for less: a shorter range, a longer step, fewer series.',
    });
  if ((status !== 400 && status !== 422) || typeof error !== 'string') return undefined;
  const reason = truncate(
    redact(error)
      .replace(USER_OF_URL, '//')
      .replace(/\p{C}+/gu, ' '),
    MAX_REASON_LENGTH,
  );
  return new InvalidRequest(`Prometheus refuses the query: ${reason}`, {
    code: 'QUERY_REFUSED',
    remedy: 'Correct the query; the detail has the reason in the words of Prometheus.',
  });
}

function parseError(bytes: Buffer): Json {
  if (bytes.length > INLINE_MAX_BYTES) return {};
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
