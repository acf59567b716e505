import type { ClusterUser } from './cluster-access.js';

export interface ClusterRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the base path of the server. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  accept?: string;
  contentType?: string;
  body?: unknown;
  /** Sending it twice has the same effect as sending it once. Default: for reads. */
  repeatable?: boolean;
  /** The timeout of the whole request; default twice `answerTimeoutMs`. */
  timeoutMs?: number;
  /** The timeout between two chunks of the response; default `answerTimeoutMs`. */
  idleTimeoutMs?: number;
  /** The maximum size of the response, when smaller than the client's limit. */
  maxBytes?: number;
  /** Keep only the metadata of list items. */
  metadataOnly?: boolean;
  signal?: AbortSignal;
}

export interface ClusterResponse {
  /** Parsed JSON, or the text of a response of another type. */
  body: unknown;
  contentType: string;
  /** The API server's warnings, for instance of a deprecated version. */
  warnings: string[];
  /** Whether the request created an object. */
  isCreated: boolean;
}

export function toQueryString(query: ClusterRequest['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

/** The headers of authentication and impersonation. */
export function identityHeaders(user: ClusterUser): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  if (user.token) headers.authorization = `Bearer ${user.token}`;
  else if (user.username) {
    headers.authorization = `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
  }
  if (user.impersonate) {
    headers['impersonate-user'] = user.impersonate.user;
    if (user.impersonate.uid) headers['impersonate-uid'] = user.impersonate.uid;
    if (user.impersonate.groups?.length) headers['impersonate-group'] = user.impersonate.groups;
    for (const [key, values] of Object.entries(user.impersonate.extra ?? {})) {
      headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
    }
  }
  return headers;
}
