import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import { parseJsonBody } from '../../rest/body/json-body.js';

/** The sub-protocol of graphql-ws: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md */
export const MODERN = GRAPHQL_TRANSPORT_WS_PROTOCOL;
/** The one of subscriptions-transport-ws: https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md */
export const LEGACY = 'graphql-ws';

const MODERN_MESSAGES = new Set(['connection_init', 'ping', 'pong', 'subscribe', 'complete']);
const LEGACY_MESSAGES = new Map([
  ['connection_init', 'connection_init'],
  ['start', 'subscribe'],
  ['stop', 'complete'],
]);

/** Characters of the id of an operation, which each of its messages repeats. */
const MAX_ID_LENGTH = 255;

/** A message of a client that its sub-protocol does not know. */
export class MalformedMessage extends Error {}

interface Message {
  type: string;
  id?: string;
  payload?: unknown;
}

/** What a client sent, in the modern sub-protocol; null when it takes its leave. */
export function parseIncoming(protocol: string, bytes: Buffer): { type: string; text: string } | null {
  const message = parseMessage(bytes);
  if (protocol === MODERN) {
    if (!MODERN_MESSAGES.has(message.type)) throw new MalformedMessage(`No client sends "${message.type}"`);
    return { type: message.type, text: bytes.toString() };
  }
  if (message.type === 'connection_terminate') return null;
  const type = LEGACY_MESSAGES.get(message.type);
  if (!type) throw new MalformedMessage(`No client sends "${message.type}"`);
  return { type, text: JSON.stringify({ ...message, type }) };
}

/** What the server sends in the modern sub-protocol, in the one that the client speaks. */
export function formatOutgoing(protocol: string, text: string): string {
  if (protocol === MODERN) return text;
  const message = JSON.parse(text) as Message;
  if (message.type === 'next') return JSON.stringify({ ...message, type: 'data' });
  if (message.type === 'error')
    return JSON.stringify({ ...message, payload: mergeErrors(message.payload as object[]) });
  return text;
}

/** What stands before the payload of a result in a message; `}` ends it. */
export const beginResult = (protocol: string, id: string): string =>
  `{"id":${JSON.stringify(id)},"type":"${protocol === MODERN ? 'next' : 'data'}","payload":`;

/** Legacy clients show one error, the newer ones of them all that stand under its `errors`. */
function mergeErrors(errors: object[]): object {
  return errors.length > 1 ? { ...errors[0], errors } : { ...errors[0] };
}

export const LEGACY_KEEP_ALIVE = JSON.stringify({ type: 'ka' });

/** The message by which a legacy client learns, before its socket is closed, that it may not connect. */
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
