import { type AppError, RemoteFailure, truncate } from '../../core/errors/app-error.js';
import { INLINE_MAX_BYTES } from '../../core/json/json-chunks.js';
import type { OutboundResponse } from '../../core/outbound/outbound-request.js';
import { failedResponse } from '../../connections/kinds/http-server.js';
import { isRecord } from '../answer.js';

const NAME = 'Grafana';
const MAX_REASON_LENGTH = 500;

/** The error of a request, in the words of Grafana. Its 403 is about a permission: the credential itself is accepted. */
export function explainGrafanaError({ status, bytes }: OutboundResponse, redact: (text: string) => string): AppError {
  const message = truncate(redact(readMessage(bytes)).replace(/\p{C}+/gu, ' '), MAX_REASON_LENGTH);
  if (status !== 403) return failedResponse(NAME, status, message);
  return new RemoteFailure(
    'CONNECTION_FORBIDDEN',
    `${NAME} does not let the credential of the connection read this${message && `: ${message}`}`,
    {
      remedy: 'Give the service account of the credential the permission in Grafana, or use the credential of another.',
    },
  );
}

function readMessage(bytes: Buffer): string {
  if (bytes.length > INLINE_MAX_BYTES) return '';
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isRecord(value) && typeof value['message'] === 'string' ? value['message'] : '';
  } catch {
    return '';
  }
}
