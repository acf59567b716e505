import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { type INestApplication, Module } from '@nestjs/common';
import { Args, Context, GraphQLModule, Int, ObjectType, Field, Query, Resolver, Subscription } from '@nestjs/graphql';
import { Test } from '@nestjs/testing';
import type { GraphQLFormattedError } from 'graphql';
import { once } from 'node:events';
import { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type ClientOptions, WebSocket } from 'ws';
import { Actor } from '../../access/actor.js';
import { Authenticator } from '../../access/authenticator.js';
import { AppError, Conflict, Unauthenticated } from '../../errors/app-error.js';
import { currentRequest } from '../../telemetry/request-context.js';
import { PARSE_OPTIONS } from '../limits/document-limits.js';
import { createQueryLimitsPlugin } from '../limits/query-limits.plugin.js';
import { GraphqlSocketServer } from './graphql-socket-server.js';
import type { SocketContext } from './socket-context.js';
import { SOCKET_DEFAULTS, SOCKET_OPTIONS, type SocketOptions } from './socket-options.js';

export const PATH = '/api/system/graphql/query';

/** An authenticator with tokens `<user>` or `<user>/<session>`; those in `ended` are invalid. */
export class Tokens extends Authenticator {
  readonly ended = new Set<string>();
  /** The time to verify a token, and the number being verified. */
  pauseMs = 1;
  running = 0;
  private readonly listeners = new Set<(revoked: { userId: string; sessionId: string | null }) => void>();

  async authenticate({ headers: { authorization } }: IncomingMessage): Promise<Actor> {
    this.running++;
    await wait(this.pauseMs);
    this.running--;
    const token = authorization?.replace('Bearer ', '');
    if (!token || token.startsWith('bad') || this.ended.has(token))
      throw new Unauthenticated('The token does not hold.');
    const [id = '', sessionId = null] = token.split('/');
    return Actor.user({ id, email: `${id}@example.org`, installationAdmin: false, sessionId });
  }

  onRevoked(listener: (revoked: { userId: string; sessionId: string | null }) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  revoke(userId: string, sessionId: string | null): void {
    for (const listener of this.listeners) listener({ userId, sessionId });
  }
}

@ObjectType()
class Node {
  @Field() name!: string;
  @Field(() => Node) next!: Node;
}

export let live = 0;
export const contexts = new Set<SocketContext>();

async function* numbers(upTo: number, pause: number): AsyncGenerator<{ numbers: number }> {
  live++;
  try {
    for (let n = 1; n <= upTo; n++) {
      yield { numbers: n };
      if (pause) await wait(pause);
    }
  } finally {
    live--;
  }
}

async function* floods(): AsyncGenerator<{ flood: string }> {
  for (;;) yield await Promise.resolve({ flood: 'x'.repeat(50_000) });
}

@Resolver()
class Fixture {
  @Query(() => String, { nullable: true }) whoAmI(@Context() context: SocketContext): string {
    return `${context.actor.name} ${context.req.actor.userId} ${context.req.headers['authorization']} ${context.socket}`;
  }

  @Query(() => [String]) requestIds(): string[] {
    return [currentRequest()?.requestId ?? '', currentRequest()?.actor?.userId ?? ''];
  }

  @Query(() => String, { nullable: true }) taken(): string {
    throw new Conflict('NAME_TAKEN', 'The name is taken', { remedy: 'Take another.' });
  }

  @Query(() => Int) echo(@Args('n', { type: () => Int }) n: number): number {
    return n;
  }

  @Query(() => Node) node(): Node {
    return { name: 'a' } as Node;
  }

  @Subscription(() => Int, { resolve: resolveNumbers }) numbers(
    @Args('upTo', { type: () => Int, defaultValue: 1_000_000 }) upTo: number,
    @Args('pause', { type: () => Int, defaultValue: 5 }) pause: number,
  ): AsyncGenerator {
    return numbers(upTo, pause);
  }

  @Subscription(() => String) flood(): AsyncGenerator {
    return floods();
  }

  @Subscription(() => String) refused(): AsyncGenerator {
    throw new Conflict('REPLAY_EXPIRED', 'Too old', { remedy: 'Begin anew.' });
  }
}

function resolveNumbers(payload: { numbers: number }, _args: unknown, context: SocketContext): number {
  contexts.add(context);
  return payload.numbers;
}

function formatError(error: GraphQLFormattedError, original: unknown): GraphQLFormattedError {
  const cause = (original as { originalError?: unknown }).originalError;
  if (!(cause instanceof AppError)) return error;
  return { ...error, extensions: { code: cause.code, remedy: cause.remedy } };
}

export async function start(options: Partial<SocketOptions> = {}) {
  const tokens = new Tokens();
  @Module({
    imports: [
      GraphQLModule.forRoot<ApolloDriverConfig>({
        driver: ApolloDriver,
        path: PATH,
        autoSchemaFile: true,
        graphiql: false,
        includeStacktraceInErrorResponses: false,
        formatError,
        parseOptions: PARSE_OPTIONS,
        plugins: [createQueryLimitsPlugin()],
      }),
    ],
    providers: [
      Fixture,
      GraphqlSocketServer,
      { provide: Authenticator, useValue: tokens },
      { provide: SOCKET_OPTIONS, useValue: { ...SOCKET_DEFAULTS, allowedOrigins: [], formatError, ...options } },
    ],
  })
  class SocketApp {}
  const app = (await Test.createTestingModule({ imports: [SocketApp] }).compile()).createNestApplication({
    logger: false,
  });
  await app.listen(0, '127.0.0.1');
  const { port } = (app as INestApplication<import('node:http').Server>).getHttpServer().address() as AddressInfo;
  return { app, tokens, origin: `127.0.0.1:${port}` };
}

export type Started = Awaited<ReturnType<typeof start>>;
export type Message = { type: string; id?: string; payload?: Record<string, unknown> };

/** A client that sends and records raw messages. */
export class RawClient {
  readonly received: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.received.push(JSON.parse(data.toString()) as Message));
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code: code as number, reason: String(reason) }));
  }

  static async open({ origin }: Started, protocol = 'graphql-transport-ws', options: ClientOptions = {}) {
    const client = new RawClient(new WebSocket(`ws://${origin}${PATH}`, protocol, options));
    await once(client.socket, 'open');
    return client;
  }

  /** Connects a client and authenticates it with a token. */
  static async signedIn(server: Started, token: string, protocol?: string, options?: ClientOptions) {
    const client = await RawClient.open(server, protocol, options);
    client.send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } });
    await client.next('connection_ack');
    return client;
  }

  send(message: Message | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async next(type: string, count = 1): Promise<Message> {
    for (;;) {
      const found = this.received.filter((message) => message.type === type)[count - 1];
      if (found) return found;
      if (this.socket.readyState > WebSocket.OPEN) throw new Error(`Closed before ${type}`);
      await wait(2);
    }
  }
}

/** Short intervals, so that tests are fast. */
export const QUICK: Partial<SocketOptions> = {
  allowedOrigins: ['https://console.example.org'],
  pingMs: 200,
  recheckMs: 150,
  perUser: 3,
};

/** The clients of one test. */
export class TestClients {
  private readonly clients: RawClient[] = [];

  /** @param token authenticates the client; without one it sends no connection_init */
  async connect(server: Started, token?: string, protocol?: string, options?: ClientOptions): Promise<RawClient> {
    const client = await (token
      ? RawClient.signedIn(server, token, protocol, options)
      : RawClient.open(server, protocol, options));
    this.clients.push(client);
    return client;
  }

  terminate(): void {
    for (const { socket } of this.clients.splice(0)) socket.terminate();
  }
}

export const run = (query: string, variables?: Record<string, unknown>, id = '1') => ({
  id,
  payload: { query, variables },
});

/** Whether the limit of operations rejects them. */
export const operations = { areRefused: false };
export const beforeOperation = (): Promise<void> =>
  operations.areRefused
    ? Promise.reject(new AppError(429, 'RATE_LIMITED', 'Too many', 'Later.', { remedy: 'Wait.' }))
    : Promise.resolve();
