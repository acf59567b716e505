import type { LimitSetting } from '../errors/limit-remedy.js';
import type { OutboundPolicy } from './address-rules.js';

export interface OutboundRequest {
  policy: OutboundPolicy;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Largest answer taken, in bytes; 10 MiB without it. */
  maxBytes?: number;
  /** The setting that `maxBytes` is read from. */
  maxBytesSetting?: LimitSetting;
  /** Whether an answer that is larger, takes longer or breaks off is taken as far as it came, in place of being refused. */
  truncate?: boolean;
  /** For everything from name resolution to the last byte, all redirects included; 15 s without it. */
  timeoutMs?: number;
  /** How many redirects are followed, 5 without it. With 0 a redirect is the answer. */
  redirects?: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  /** Where the answer came from, after redirects. */
  url: string;
  status: number;
  /** Names in lower case; several values of one name are joined by ", ". */
  headers: Record<string, string>;
  bytes: Buffer;
}
