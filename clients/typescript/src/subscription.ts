import { ArmatureError } from './armature-error.js';
import type { Problem } from './generated/types.gen.js';
import { findGraphqlProblem } from './response.js';
import { resuming, type StreamState } from './resuming.js';
import { isUnauthenticated, type Transport } from './transport.js';

/** What a class of web sockets has in browsers, in Node.js 22 and in the package `ws`. */
export interface WebSocketLike {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /* eslint-disable @typescript-eslint/no-explicit-any -- each has types of its own for these */
  onopen: any;
  onmessage: any;
  onerror: any;
  onclose: any;
  /* eslint-enable @typescript-eslint/no-explicit-any */
}

export type WebSocketClass = new (url: string, protocols: string) => WebSocketLike;

export interface Subscription {
  document: string;
  variables: Record<string, unknown>;
  signal: AbortSignal | undefined;
}

/** A message of the protocol graphql-transport-ws, or the end of the socket. */
type Arrival =
  | { type: 'next'; payload: unknown }
  | { type: 'error'; payload: unknown }
  | { type: 'connection_ack' | 'complete' | 'ping' | 'pong' }
  | { type: 'closed'; code: number; reason: string };

export const GRAPHQL_PATH = '/api/system/graphql/query';
const PROTOCOL = 'graphql-transport-ws';
const ID = '1';
/** How often the server is asked whether it is still there. */
const PING_MS = 20_000;
/** Received, and not yet taken by the consumer. */
const MOST_WAITING = 10_000;
/** A token that is missing, forged, expired or revoked. */
const UNAUTHENTICATED_CLOSES = new Set([4401, 4403]);
const BAD_MESSAGE_CLOSE = 4400;

/** The results of a subscription as they come, also after breaks. */
export function subscribe<Data>(
  transport: Transport,
  socketClass: WebSocketClass,
  { document, variables, signal }: Subscription,
): AsyncGenerator<Data, void, undefined> {
  let current = variables;
  let wasRenewed = false;
  return resuming(async function* (state: StreamState) {
    const token = await transport.findToken();
    signal?.throwIfAborted();
    const socket = new OpenSocket(new socketClass(socketAddress(transport), PROTOCOL), transport.address('/').origin);
    const abort = () => socket.close();
    signal?.addEventListener('abort', abort);
    try {
      await socket.initialize(token);
      state.wasOpen = true;
      wasRenewed = false;
      for await (const data of socket.run<Data>({ query: document, variables: current })) {
        current = resumeAfter(document, current, data);
        yield data;
      }
      state.isComplete = socket.isComplete;
    } catch (error) {
      signal?.throwIfAborted();
      const { credentials } = transport.options;
      const isReplaceable = error instanceof ArmatureError && isUnauthenticated(error) && token && !wasRenewed;
      if (!isReplaceable || !credentials.renew) throw error;
      wasRenewed = true;
      await credentials.renew(token);
    } finally {
      signal?.removeEventListener('abort', abort);
      socket.close();
    }
    signal?.throwIfAborted();
  }, signal);
}

/** One subscription over one socket. */
class OpenSocket {
  isComplete = false;
  private readonly arrived: Arrival[] = [];
  private wake = () => {};
  private heard = false;
  private readonly pings: ReturnType<typeof setInterval>;
  private reason = '';
  private isClosed = false;

  constructor(
    private readonly socket: WebSocketLike,
    private readonly origin: string,
  ) {
    this.pings = setInterval(() => this.ping(), PING_MS);
    socket.onerror = ({ message }: { message?: string }) => (this.reason = message ?? '');
    socket.onclose = ({ code, reason }: { code: number; reason: string }) =>
      this.arrive({ type: 'closed', code, reason: reason || this.reason });
    socket.onmessage = ({ data }: { data: unknown }) => this.receive(String(data));
  }

  /** @throws ArmatureError when the server refuses the token, or there is none */
  async initialize(token: string | undefined): Promise<void> {
    this.socket.onopen = () =>
      this.send({ type: 'connection_init', payload: token ? { Authorization: `Bearer ${token}` } : {} });
    for (;;) {
      const arrival = await this.next();
      if (arrival.type === 'connection_ack') return;
      if (arrival.type === 'closed') throw this.refusal(arrival);
    }
  }

  /** Ends at the end of the subscription, or at a break. */
  async *run<Data>(payload: object): AsyncGenerator<Data, void, undefined> {
    this.send({ id: ID, type: 'subscribe', payload });
    for (;;) {
      const arrival = await this.next();
      if (arrival.type === 'closed' && arrival.code === BAD_MESSAGE_CLOSE) throw this.refusal(arrival);
      if (arrival.type === 'closed') return;
      this.isComplete = arrival.type === 'complete';
      if (this.isComplete) return;
      const problem = toProblem(arrival);
      if (problem) throw new ArmatureError(problem.detail, { status: 200, code: problem.code, problem });
      if (arrival.type === 'next') yield (arrival.payload as { data: Data }).data;
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.pings);
    this.socket.close(1000);
    this.arrive({ type: 'closed', code: 1000, reason: '' });
  }

  private send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** What is no message of the protocol ends the connection, as a break does. */
  private receive(text: string): void {
    if (this.isClosed) return;
    this.heard = true;
    try {
      this.arrive(JSON.parse(text) as Arrival);
    } catch {
      this.close();
    }
  }

  private arrive(arrival: Arrival): void {
    if (arrival.type === 'ping') this.send({ type: 'pong' });
    else if (arrival.type !== 'pong') this.arrived.push(arrival);
    if (this.arrived.length > MOST_WAITING) this.close();
    this.wake();
  }

  private async next(): Promise<Arrival> {
    for (;;) {
      const arrival = this.arrived.shift();
      if (arrival) return arrival;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Closes a connection that does not come about, or is broken though nothing says so. */
  private ping(): void {
    if (!this.heard) return this.close();
    this.heard = false;
    this.send({ type: 'ping' });
  }

  private refusal({ code, reason }: { code: number; reason: string }): ArmatureError {
    if (UNAUTHENTICATED_CLOSES.has(code))
      return new ArmatureError(reason || 'The token is missing or not valid.', {
        status: 401,
        code: 'UNAUTHENTICATED',
      });
    if (code === BAD_MESSAGE_CLOSE) return new ArmatureError(reason, { status: 400, code: 'MALFORMED_REQUEST' });
    return new ArmatureError(`${this.origin} cannot be reached: ${reason || `the socket was closed with ${code}`}`, {
      code: 'UNREACHABLE',
    });
  }
}

function socketAddress(transport: Transport): string {
  return transport.address(GRAPHQL_PATH).href.replace(/^http/, 'ws');
}

function toProblem(arrival: Arrival): Problem | undefined {
  if (arrival.type === 'error') return findGraphqlProblem({ errors: arrival.payload }, 200);
  return arrival.type === 'next' ? findGraphqlProblem(arrival.payload, 200) : undefined;
}

/** A subscription to events that names where it begins goes on after the last one that was received. */
function resumeAfter(document: string, variables: Record<string, unknown>, data: unknown): Record<string, unknown> {
  const [result] = Object.values(data as Record<string, { sequence?: string } | null>);
  return /\$after\b/.test(document) && result?.sequence ? { ...variables, after: result.sequence } : variables;
}
