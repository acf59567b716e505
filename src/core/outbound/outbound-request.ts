import type { LimitSetting } from '../errors/limit-remedy.js';
import type { OutboundPolicy } from './address-rules.js';

export interface OutboundRequest {
  policy: OutboundPolicy;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The maximum size of the response in bytes; default 10 MiB. */
  maxBytes?: number;
  /** The setting of `maxBytes`, for the remedy. */
  maxBytesSetting?: LimitSetting;
  /** Whether to return the received part of a response that is too large, too slow or incomplete, instead of an error. */
  truncate?: boolean;
  /** The timeout from name resolution to the last byte, including redirects; default 15 s. */
  timeoutMs?: number;
  /** The maximum number of redirects, default 5. With 0, a redirect is returned as the response. */
  redirects?: number;
  signal?: AbortSignal;
  /** PEM certificates of the authorities that may have signed the server's, in place of those of the system. */
  ca?: string;
}

export interface OutboundResponse {
  /** The URL of the response, after redirects. */
  url: string;
  status: number;
  /** Lower-case names; several values of one name are joined by ", ". */
  headers: Record<string, string>;
  bytes: Buffer;
}
