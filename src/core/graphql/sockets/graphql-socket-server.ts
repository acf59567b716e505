import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { type ExecutionArgs, GraphQLError } from 'graphql';
import { type SubscribePayload, makeServer } from 'graphql-ws';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { Authenticator } from '../../access/authenticator.js';
import { toAppError } from '../../errors/problem.js';
import { clientNetwork } from '../../rest/client-network.js';
import { isWebSocketUpgrade } from '../../rest/other-upgrades.js';
import { FaultLog } from '../../telemetry/fault-log.js';
import { currentRequest } from '../../telemetry/request-context.js';
import { limitErrors } from '../limits/query-limits.js';
import { SocketAuthenticator } from './socket-authenticator.js';
import { SocketConnection } from './socket-connection.js';
import { buildContext, tooManyOperationsError } from './socket-context.js';
import { toGraphQLError, formatSocketError, prepareExecution, subscribeWithFreshContext } from './graphql-execution.js';
import { DocumentCache } from './document-cache.js';
import { PendingSockets } from './pending-sockets.js';
import { LEGACY, MODERN } from './protocols.js';
import { SendTurns } from './send-turns.js';
import { SOCKET_OPTIONS, type SocketOptions } from './socket-options.js';
import {
  type ExpressApplication,
  findAddress,
  findUpgradeRefusal,
  refuseUpgrade,
  type UpgradeRefusal,
} from './upgrade.js';

const TOO_MANY_PENDING: UpgradeRefusal = {
  status: 429,
  detail: 'Too many sockets wait for their connection_init.',
  headers: { 'Retry-After': '5' },
};

/**
 * GraphQL over WebSocket at the path of GraphQL over HTTP, with the sub-protocols graphql-transport-ws and
 * graphql-ws. A socket is authenticated by the token in the payload of connection_init and closed when the token
 * ends; CloseCode lists the reasons.
 */
@Injectable()
export class GraphqlSocketServer implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(GraphqlSocketServer.name);
  private readonly connections = new Set<SocketConnection>();
  private readonly authenticator: SocketAuthenticator;
  private readonly sockets: WebSocketServer;
  private readonly pending = new PendingSockets();
  private readonly documents = new DocumentCache();
  private readonly turns = new SendTurns();
  private readonly faults = new FaultLog(this.logger);
  private drained?: Promise<void>;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly schemas: GraphQLSchemaHost,
    authenticator: Authenticator,
    @Inject(SOCKET_OPTIONS) private readonly options: SocketOptions,
  ) {
    this.authenticator = new SocketAuthenticator(authenticator, options.perUser, options.onRefused);
    this.sockets = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxPayload,
      // Handle each message in its own turn of the event loop, however many arrive at once.
      allowSynchronousEvents: false,
      handleProtocols: (offered) => (offered.has(MODERN) ? MODERN : LEGACY),
    });
  }

  onApplicationBootstrap(): void {
    (this.host.httpAdapter.getHttpServer() as HttpServer).on('upgrade', this.handleUpgrade);
  }

  /** Apollo closes idle sockets when its module is destroyed; notify clients before. */
  async onModuleDestroy(): Promise<void> {
    await this.drain();
    // A repeated start reuses the server.
    (this.host.httpAdapter.getHttpServer() as HttpServer).off('upgrade', this.handleUpgrade);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
  }

  /** Rejects new sockets and closes all others with 1001; resolves when they are closed, after at most `closeMs`. */
  drain(): Promise<void> {
    this.drained ??= this.closeAll();
    return this.drained;
  }

  private async closeAll(): Promise<void> {
    this.authenticator.stop();
    const open = [...this.connections];
    this.logger.log(`closing ${open.length} sockets`);
    for (const connection of open) connection.close(1001, 'The server is shutting down.');
    await Promise.all(open.map(({ closed }) => closed));
  }

  private readonly handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Other upgrade requests are handled as plain requests.
    if (!isWebSocketUpgrade(request)) return;
    socket.on('error', () => socket.destroy());
    const network = clientNetwork(findAddress(request, this.host.httpAdapter.getInstance<ExpressApplication>()));
    void this.findRefusal(request, network).then((refusal) => {
      const leave = refusal ? undefined : this.pending.take(network);
      if (!leave) return refuseUpgrade(socket, refusal ?? TOO_MANY_PENDING);
      socket.once('close', leave);
      this.sockets.handleUpgrade(request, socket, head, (opened) => {
        const connection = new SocketConnection(
          opened,
          socket,
          request,
          network,
          this.options,
          this.faults,
          this.turns,
        );
        this.accept(connection, leave);
      });
    });
  };

  /** Counts the request against the limits before inspecting it. */
  private async findRefusal(request: IncomingMessage, network: string): Promise<UpgradeRefusal | null> {
    if (this.drained) return { status: 503, detail: 'The server is shutting down.' };
    try {
      await this.options.beforeHandshake?.(network);
    } catch (error) {
      const { status, message: detail, headers } = toAppError(error);
      return { status, detail, headers };
    }
    return findUpgradeRefusal(request, this.options.allowedOrigins);
  }

  private accept(connection: SocketConnection, leavePending: () => void): void {
    const { formatError, initTimeoutMs } = this.options;
    const protocol = makeServer({
      connectionInitWaitTimeout: initTimeoutMs,
      onConnect: async ({ connectionParams }) => {
        const isAdmitted = await this.authenticator.admit(connection, connectionParams);
        if (isAdmitted) leavePending();
        return isAdmitted;
      },
      onSubscribe: async (_context, id, payload) => {
        const prepared = await this.prepareOperation(connection, payload);
        return Array.isArray(prepared) ? prepared : { ...prepared, id };
      },
      context: () => buildContext(connection),
      subscribe: ({ id, ...args }: ExecutionArgs & { id?: string }) =>
        subscribeWithFreshContext(
          args,
          () => buildContext(connection),
          (payloads) => connection.sendResults(id ?? '', payloads),
        ),
      onNext: (_context, _id, _payload, _args, result) =>
        result.errors && {
          ...result,
          errors: limitErrors(result.errors).map((error) => formatSocketError(error, formatError)),
        },
      onError: (_context, _id, _payload, errors) =>
        limitErrors(errors).map((error) => formatSocketError(error, formatError)),
    });
    this.connections.add(connection);
    void connection.closed.then(() => this.connections.delete(connection));
    const stop = protocol.opened(connection, undefined);
    connection.onEnded((code, reason) => {
      this.authenticator.release(connection);
      stop(code, reason).catch((error: unknown) => this.faults.log(error));
    });
  }

  /** Runs an operation as the token's current user, not the one at the time of the handshake. */
  private async prepareOperation(
    connection: SocketConnection,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | GraphQLError[]> {
    const { operationsPerSocket, beforeOperation } = this.options;
    try {
      if (connection.pendingMessages > operationsPerSocket) throw tooManyOperationsError(operationsPerSocket);
      if (!(await this.authenticator.authenticate(connection))) return [new GraphQLError('The socket is closed.')];
      const { actor } = buildContext(connection);
      const current = currentRequest();
      if (current) current.actor = current.caller = actor;
      await beforeOperation?.(actor);
      return prepareExecution(this.schemas.schema, payload, this.documents);
    } catch (error) {
      return [toGraphQLError(error)];
    }
  }
}
