import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { type AppError, InvalidRequest } from '../core/errors/app-error.js';
import { INLINE_MAX_BYTES } from '../core/json/json-chunks.js';
import type { OutboundResponse } from '../core/outbound/outbound-request.js';
import { Outbound } from '../core/outbound/outbound.service.js';
import { ResponseBudget } from '../core/responses/response-budget.service.js';
import { currentRequest } from '../core/telemetry/request-context.js';
import { InlineTaskRunner, type Task } from '../core/workers/task.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { assertCallable } from '../connections/connection-status.js';
import type { Connection } from '../connections/connection.entity.js';
import { ConnectionSecretsService } from '../connections/connection-secrets.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { authorization, failedResponse, redirected, unexpectedResponse } from '../connections/kinds/http-server.js';
import { redactSecrets, toRemoteFailure } from '../core/outbound/redact-secrets.js';
import type { Answer } from './answer.js';
import { CallerTurns } from './caller-turns.js';
import { trimTextEnd } from '../core/trim-text.js';

/** The time limit of a call, from name resolution to the last byte. */
export const TIMEOUT_MS = 15_000;
/** The maximum bytes of an answer; a larger one is refused while it is read. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** The bytes reserved for an answer in the shared memory budget until its size is known. */
const EXPECTED_BYTES = 2 * 1024 * 1024;
/** The minimum characters of a credential that is searched for in answers: shorter ones would match by chance. */
const MIN_CREDENTIAL_LENGTH = 12;

/** A connection kind whose servers are queried. */
export interface MonitoringServer {
  kind: string;
  /** The name of the server in errors. */
  name: string;
  /** The error for an unsuccessful answer, when it contains more than its status. */
  explain?(response: OutboundResponse, redact: (text: string) => string): AppError | undefined;
}

export interface OpenConnection {
  connection: Connection;
  /** The metadata, with what is masked in it: the address of the server and its certificate authority. */
  metadata: Record<string, unknown>;
  secret: Record<string, unknown> | null;
}

export interface MonitoringQuery<T> {
  /** The path relative to the url of the connection. It is fixed by the route; values from callers are validated and encoded. */
  path: string;
  parameters?: URLSearchParams;
  /** Parses the answer; large ones in a worker. */
  task: Task<Answer, T>;
  /** The maximum number of items to return. */
  limit?: number;
}

/** Queries Prometheus and Grafana servers through connections that the caller may read. */
@Injectable()
export class MonitoringClient {
  private readonly turns = new CallerTurns();

  constructor(
    private readonly connections: ConnectionsService,
    private readonly secrets: ConnectionSecretsService,
    private readonly unit: UnitOfWork,
    private readonly outbound: Outbound,
    private readonly budget: ResponseBudget,
    private readonly pool: WorkerPool,
  ) {}

  /** A connection of this kind that the caller may read, with any status. @throws NotFound; InvalidRequest for another kind */
  async getConnection(actor: Actor, id: string, { kind, name }: MonitoringServer): Promise<Connection> {
    const connection = await this.connections.getAuthorized(actor, id, 'read');
    if (connection.kind !== kind)
      throw new InvalidRequest(`the connection is of kind ${connection.kind}, not ${kind}`, {
        code: 'CONNECTION_KIND_MISMATCH',
        errors: [{ pointer: 'connectionID', detail: `is of kind ${connection.kind}, not ${kind}` }],
        remedy: `Name a connection to a ${name} server: GET /api/integrations/connections?filter={"kind":"${kind}"} lists them.`,
      });
    return connection;
  }

  /** As getConnection, with the secret of the credential. Checks that the status of the connection allows calls. */
  async open(actor: Actor, id: string, server: MonitoringServer): Promise<OpenConnection> {
    const connection = await this.getConnection(actor, id, server);
    assertCallable(connection.status);
    // A caller who may read a connection may use its credential, but not read it.
    const { metadata, secret } = await this.unit.runAsSystem('a query through a connection', () =>
      this.secrets.reveal(connection),
    );
    return { connection, metadata, secret };
  }

  /** @throws InvalidRequest when the server refuses the query, RemoteFailure 502 or 504 when it fails */
  async get<T>(actor: Actor, id: string, server: MonitoringServer, query: MonitoringQuery<T>): Promise<T> {
    const { metadata, secret } = await this.open(actor, id, server);
    return this.turns.run(actor.userId ?? '', () => this.ask(server, metadata, secret, query));
  }

  private async ask<T>(
    server: MonitoringServer,
    { url, ca }: Record<string, unknown>,
    secret: Record<string, unknown> | null,
    query: MonitoringQuery<T>,
  ): Promise<T> {
    await this.budget.reserve(EXPECTED_BYTES);
    const { path, parameters = new URLSearchParams(), task, limit } = query;
    const said = [path, ...parameters.values()].join('\n');
    const headers = authorization(secret);
    const response = await this.call(resolve(url, path, parameters), headers, ca).catch((error: unknown) => {
      throw isAborted() ? error : toRemoteFailure(error, secret);
    });
    if (response.status < 200 || response.status > 299)
      throw toFailure(server, response, (text) => redactSecrets(text, secret, said));
    const bytes = new Uint8Array(response.bytes);
    if (holdsCredential(response.bytes, headers, said)) throw unexpectedResponse(server.name);
    const tasks = bytes.length <= INLINE_MAX_BYTES ? new InlineTaskRunner() : this.pool;
    return tasks.run(task, { bytes, limit }, { transferList: [bytes.buffer], inputBytes: bytes.length });
  }

  /** The call is aborted with the request that it serves. Redirects are not followed, because they could lead to any path. */
  private call(url: URL, headers: Record<string, string>, ca: unknown): Promise<OutboundResponse> {
    const gone = new AbortController();
    currentRequest()?.response?.onRelease(() => gone.abort());
    return this.outbound.fetch(url, {
      policy: 'connection',
      headers: { accept: 'application/json', 'user-agent': 'armature', ...headers },
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: TIMEOUT_MS,
      redirects: 0,
      signal: gone.signal,
      ...(typeof ca === 'string' ? { ca } : {}),
    });
  }
}

const isAborted = (): boolean => currentRequest()?.response?.isClosed ?? false;

/** The URL of a path relative to that of a connection, whose query and fragment are ignored. */
function resolve(base: unknown, path: string, parameters: URLSearchParams): URL {
  const url = new URL(String(base));
  url.pathname = trimTextEnd(url.pathname, /\//) + path;
  url.search = parameters.toString();
  url.hash = '';
  return url;
}

function toFailure(server: MonitoringServer, response: OutboundResponse, redact: (text: string) => string): AppError {
  const { status } = response;
  if (status >= 300 && status < 400) return redirected(server.name, status);
  return server.explain?.(response, redact) ?? failedResponse(server.name, status);
}

/** Whether an answer contains the credential, unless the caller sent the same text. */
function holdsCredential(bytes: Buffer, headers: Record<string, string>, said: string): boolean {
  const credential = headers['authorization']?.replace(/^\w+ /, '') ?? '';
  return credential.length >= MIN_CREDENTIAL_LENGTH && !said.includes(credential) && bytes.includes(credential);
}
