import { unexpectedResponse } from '../connections/kinds/http-server.js';

/** What a server answered, for a task that may run in a worker. */
export interface Answer {
  /** UTF-8, in a buffer of its own. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Items that are shown of it. */
  limit?: number;
}

export type Json = Record<string, unknown>;

/** @throws RemoteFailure CONNECTION_NOT_UNDERSTOOD for what is no JSON object or list */
export function parseAnswer({ bytes }: Answer, server: string): Json | unknown[] {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null) return value as Json | unknown[];
  } catch {
    // Said below, in one way for all that is no JSON.
  }
  throw unexpectedResponse(server);
}

/** The JSON of a value that was parsed. @throws RemoteFailure CONNECTION_NOT_UNDERSTOOD when it is nested too deep to be written */
export function writeAnswer(value: unknown, server: string): Uint8Array<ArrayBuffer> {
  try {
    return new TextEncoder().encode(JSON.stringify(value));
  } catch {
    throw unexpectedResponse(server);
  }
}

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
