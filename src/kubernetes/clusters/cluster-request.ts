import type { ClusterUser } from './cluster-access.js';

export interface ClusterRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path below the server's own path. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  accept?: string;
  contentType?: string;
  body?: unknown;
  /** From the request to the last byte of the answer; twice `answerTimeoutMs` without it. */
  timeoutMs?: number;
  /** Between two pieces of the answer, where that may be longer than `answerTimeoutMs`. */
  idleTimeoutMs?: number;
  /** Replaces the largest answer taken, where less is expected. */
  maxBytes?: number;
  /** Of the items of a list nothing but their metadata is kept. */
  metadataOnly?: boolean;
  signal?: AbortSignal;
}

export interface ClusterResponse {
  /** Parsed JSON, or the text of an answer of any other type. */
  body: unknown;
  contentType: string;
  /** Texts of the API server's warnings, such as that of a deprecated version. */
  warnings: string[];
}

export function toQueryString(query: ClusterRequest['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

/** The headers that say who calls, also on behalf of whom. */
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
