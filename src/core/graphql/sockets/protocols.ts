import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import { parseJsonBody } from '../../rest/body/json-body.js';

/** The sub-protocol of graphql-ws: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md */
export const MODERN = GRAPHQL_TRANSPORT_WS_PROTOCOL;
/**
 * The sub-protocol of subscriptions-transport-ws:
 * https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md
 */
export const LEGACY = 'graphql-ws';

const MODERN_MESSAGES = new Set(['connection_init', 'ping', 'pong', 'subscribe', 'complete']);
const LEGACY_MESSAGES = new Map([
  ['connection_init', 'connection_init'],
  ['start', 'subscribe'],
  ['stop', 'complete'],
]);

/** The maximum length of an operation id, which each of its messages repeats. */
const MAX_ID_LENGTH = 255;

/** A message of a client that its sub-protocol does not define. */
export class MalformedMessage extends Error {}

interface Message {
  type: string;
  id?: string;
  payload?: unknown;
}

/** Translates a client's message to the modern sub-protocol; null when the client ends the connection. */
export function parseIncoming(protocol: string, bytes: Buffer): { type: string; text: string } | null {
  const message = parseMessage(bytes);
  if (protocol === MODERN) {
    if (!MODERN_MESSAGES.has(message.type)) throw new MalformedMessage(`"${message.type}" is not a client message`);
    return { type: message.type, text: bytes.toString() };
  }
  if (message.type === 'connection_terminate') return null;
  const type = LEGACY_MESSAGES.get(message.type);
  if (!type) throw new MalformedMessage(`"${message.type}" is not a client message`);
  return { type, text: JSON.stringify({ ...message, type }) };
}

/** Translates a message of the modern sub-protocol to the sub-protocol of the client. */
export function formatOutgoing(protocol: string, text: string): string {
  if (protocol === MODERN) return text;
  const message = JSON.parse(text) as Message;
  if (message.type === 'next') return JSON.stringify({ ...message, type: 'data' });
  if (message.type === 'error')
    return JSON.stringify({ ...message, payload: mergeErrors(message.payload as object[]) });
  return text;
}

/** The start of a message with a result, before its payload; `}` ends the message. */
export const beginResult = (protocol: string, id: string): string =>
  `{"id":${JSON.stringify(id)},"type":"${protocol === MODERN ? 'next' : 'data'}","payload":`;

/** Merges errors into one, as the legacy protocol requires; newer clients also read the list in its `errors`. */
function mergeErrors(errors: object[]): object {
  return errors.length > 1 ? { ...errors[0], errors } : { ...errors[0] };
}

export const LEGACY_KEEP_ALIVE = JSON.stringify({ type: 'ka' });

/** The legacy message that rejects a connection, sent before the socket is closed. */
export function legacyRefusal(message: string): string {
  return JSON.stringify({ type: 'connection_error', payload: { message } });
}

function parseMessage(bytes: Buffer): Message {
  const message = parseBounded(bytes);
  if (typeof message !== 'object' || message === null || !('type' in message) || typeof message.type !== 'string')
    throw new MalformedMessage('The message has no type');
  if ('id' in message && typeof message.id === 'string' && message.id.length > MAX_ID_LENGTH)
    throw new MalformedMessage(`The id has more than ${MAX_ID_LENGTH} characters`);
  return message as Message;
}

function parseBounded(bytes: Buffer): unknown {
  try {
    return parseJsonBody(bytes, 'The message');
  } catch (error) {
    throw new MalformedMessage((error as Error).message);
  }
}
