import { InvalidRequest } from '../core/errors/app-error.js';
import { isObject, type JsonObject } from '../core/json/json.js';

/** The codes of JSON-RPC 2.0. What is no message is refused before, with a problem document. */
export const RPC_CODES = { methodNotFound: -32601, invalidParams: -32602 };

export type RpcId = string | number;

export interface RpcRequest {
  /** Undefined for a notification, which has no response. */
  id: RpcId | undefined;
  method: string;
  params: JsonObject;
}

export type RpcResponse =
  | { jsonrpc: '2.0'; id: RpcId; result: object }
  | { jsonrpc: '2.0'; id: RpcId; error: { code: number; message: string } };

/** A failure that the protocol reports, not the tool. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A message as a request; null for a response of the client, which nothing waits for. @throws InvalidRequest */
export function parseMessage(message: unknown): RpcRequest | null {
  if (Array.isArray(message)) throw invalid('batches are not part of the protocol: send one message in each request');
  if (!isObject(message) || message['jsonrpc'] !== '2.0') throw invalid('the body is not a message of JSON-RPC 2.0');
  const { id, method, params = {} } = message;
  if (method === undefined && (message['result'] !== undefined || message['error'] !== undefined)) return null;
  if (typeof method !== 'string') throw invalid('method must be a text');
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number')
    throw invalid('id must be a text or a number');
  if (!isObject(params)) throw invalid('params must be an object');
  return { id, method, params };
}

const invalid = (detail: string): InvalidRequest =>
  new InvalidRequest(detail, { remedy: 'Use a client of the Model Context Protocol over streamable HTTP.' });
