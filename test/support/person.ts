import { type Client, createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { assertDocumented } from './response-check.js';

/** An answer as it came over the wire; `body` is the JSON, or the text when it is none. */
export interface Answer<T = Json> {
  status: number;
  headers: Headers;
  body: T;
}

/** JSON whose shape the test asserts. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read answers as a client would: without types
export type Json = any;

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

/** Someone who calls the server over the wire, with a token or without. */
export class Person {
  constructor(
    readonly baseUrl: string,
    readonly token: string | null,
    readonly id = '',
    readonly email = '',
  ) {}

  get = (path: string, options?: CallOptions): Promise<Answer> => this.call('GET', path, options);
  post = (path: string, body?: unknown, options?: CallOptions): Promise<Answer> =>
    this.call('POST', path, { body, ...options });
  put = (path: string, body?: unknown, options?: CallOptions): Promise<Answer> =>
    this.call('PUT', path, { body, ...options });
  delete = (path: string, options?: CallOptions): Promise<Answer> => this.call('DELETE', path, options);

  async call(method: string, path: string, { body, headers = {} }: CallOptions = {}): Promise<Answer> {
    const isForm = body instanceof FormData;
    const raw = isForm || typeof body === 'string' || body === undefined;
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: raw ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    assertDocumented(method, path, answer);
    return answer;
  }

  /** Uploads a file in the form field `file`, with further text fields. */
  upload(
    path: string,
    name: string,
    content: string | Uint8Array,
    fields: Record<string, string> = {},
  ): Promise<Answer> {
    const form = new FormData();
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    form.set('file', new Blob([content]), name);
    return this.call('POST', path, { body: form });
  }

  graphql(query: string, variables?: Record<string, unknown>): Promise<Answer> {
    return this.post('/api/system/graphql/query', { query, variables });
  }

  /** A GraphQL client over a socket; the caller disposes it. */
  socket(): Client {
    return createClient({
      url: this.baseUrl.replace('http', 'ws') + '/api/system/graphql/query',
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${this.token ?? ''}` },
      retryAttempts: 0,
    });
  }
}
