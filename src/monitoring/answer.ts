import { unexpectedResponse } from '../connections/kinds/http-server.js';

/** The answer of a server, as the input of a task. */
export interface Answer {
  /** UTF-8, in a separate buffer. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The maximum number of items to return. */
  limit?: number;
}

export type Json = Record<string, unknown>;

/** @throws RemoteFailure CONNECTION_NOT_UNDERSTOOD unless the answer is a JSON object or list */
export function parseAnswer({ bytes }: Answer, server: string): Json | unknown[] {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null) return value as Json | unknown[];
  } catch {
    // The error below covers invalid JSON and other values alike.
  }
  throw unexpectedResponse(server);
}

/** A parsed value as UTF-8 JSON. @throws RemoteFailure CONNECTION_NOT_UNDERSTOOD when it is nested too deeply */
export function writeAnswer(value: unknown, server: string): Uint8Array<ArrayBuffer> {
  try {
    return new TextEncoder().encode(JSON.stringify(value));
  } catch {
    throw unexpectedResponse(server);
  }
}

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
