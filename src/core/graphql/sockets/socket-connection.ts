import type { WebSocket as ProtocolSocket } from 'graphql-ws';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Actor } from '../../access/actor.js';
import { InFlightResponse } from '../../telemetry/in-flight-response.js';
import type { FaultLog } from '../../telemetry/fault-log.js';
import { runInRequestContext, generateRequestId, originOf } from '../../telemetry/request-context.js';
import { TokenBucket } from '../../token-bucket.js';
import { CloseCode } from './close-codes.js';
import {
  LEGACY,
  LEGACY_KEEP_ALIVE,
  MODERN,
  MalformedMessage,
  beginResult,
  parseIncoming,
  legacyRefusal,
  formatOutgoing,
} from './protocols.js';
import type { SendTurns } from './send-turns.js';
import type { SocketOptions } from './socket-options.js';
import { SocketWriter } from './socket-writer.js';

type MessageListener = (message: string) => Promise<void>;

const REFUSAL_CODES: readonly number[] = [CloseCode.Unauthenticated, CloseCode.Forbidden, CloseCode.TooMany];

/** One socket: translates messages of legacy clients, checks that the peer is alive and reads, and holds the actor. */
export class SocketConnection implements ProtocolSocket {
  /** The protocol for graphql-ws; messages of legacy clients are translated. */
  readonly protocol = MODERN;
  actor?: Actor;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;

  private readonly legacy: boolean;
  private readonly pingTimer: NodeJS.Timeout;
  private recheckTimer?: NodeJS.Timeout;
  private readonly writer: SocketWriter;
  /** The memory that the running operations of this socket use. */
  private readonly responses = new Set<InFlightResponse>();
  private readonly messages: TokenBucket;
  private isPongReceived = true;
  private ended = false;
  private initHandling?: Promise<void>;
  private endListener?: (code: number, reason: string) => void;

  constructor(
    private readonly socket: WebSocket,
    /** The underlying stream, to which frames are written. */
    stream: Duplex,
    readonly request: IncomingMessage,
    /** The network of the caller. */
    readonly network: string,
    private readonly options: SocketOptions,
    private readonly faults: FaultLog,
    private readonly turns: SendTurns,
  ) {
    this.legacy = socket.protocol === LEGACY;
    this.writer = new SocketWriter(socket, stream, options, () => this.dropSlowReader());
    this.messages = new TokenBucket(options.messageBurst, options.messagesPerSecond);
    this.pingTimer = setInterval(() => this.ping(), options.pingMs);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.once('close', (code, reason) => this.end(code, reason.toString()));
    socket.on('ping', () => this.countMessage());
    socket.on('pong', () => {
      this.isPongReceived = true;
      this.countMessage();
    });
    socket.on('error', () => undefined); // ws closes the socket after each error.
  }

  /** Calls back once, as soon as either side has closed the socket. */
  onEnded(callback: (code: number, reason: string) => void): void {
    this.endListener = callback;
  }

  /** Calls `check` periodically while the socket is open. */
  checkRepeatedly(check: () => void): void {
    if (!this.ended) this.recheckTimer = setInterval(check, this.options.recheckMs);
  }

  get isOpen(): boolean {
    return !this.ended;
  }

  /**
   * The number of messages being handled. An operation counts until its handler has ended, even when the client
   * completed it earlier.
   */
  get pendingMessages(): number {
    return this.responses.size;
  }

  /** Resolves in a later turn of the event loop, so that a source that never waits does not block writes and reads. */
  async send(message: string): Promise<void> {
    if (this.ended) return;
    this.writer.write(formatOutgoing(this.socket.protocol, message));
    await this.turns.take();
  }

  /** Sends serialized results of an operation with one write. */
  async sendResults(id: string, payloads: string[]): Promise<void> {
    if (this.ended) return;
    const begin = beginResult(this.socket.protocol, id);
    this.writer.writeAll(payloads.map((payload) => `${begin}${payload}}`));
    await this.turns.take(payloads.length);
  }

  onMessage(listener: MessageListener): void {
    this.socket.on('message', (data, isBinary) => void this.receive(data, isBinary, listener));
  }

  /** Ends the operations of the socket, and closes it after a delay in which the client can read the reason. */
  close(code: number, reason: string): void {
    if (this.ended) return;
    if (this.legacy && REFUSAL_CODES.includes(code)) this.socket.send(legacyRefusal(reason));
    this.socket.close(code, truncateReason(reason));
    const cutOff = setTimeout(() => this.socket.terminate(), this.options.closeMs);
    this.socket.once('close', () => clearTimeout(cutOff));
    this.end(code, reason);
  }

  private end(code: number, reason: string): void {
    if (this.ended) return;
    this.ended = true;
    clearInterval(this.pingTimer);
    clearInterval(this.recheckTimer);
    this.writer.end();
    for (const answer of this.responses) answer.close();
    this.endListener?.(code, reason);
  }

  private dropSlowReader(): void {
    this.close(CloseCode.TooSlow, 'The client does not read what is sent to it.');
  }

  private ping(): void {
    if (!this.isPongReceived) return this.socket.terminate();
    this.isPongReceived = false;
    this.socket.ping();
    if (this.legacy) this.writer.write(LEGACY_KEEP_ALIVE);
  }

  /** Counts a message against the limit. Above it, closes the socket and stops reading, because even ignored frames take time. */
  private countMessage(): boolean {
    if (this.messages.take() === 0) return true;
    this.close(CloseCode.TooMany, `One socket may send ${this.options.messagesPerSecond} messages a second.`);
    this.socket.pause();
    return false;
  }

  private async receive(data: RawData, isBinary: boolean, listener: MessageListener): Promise<void> {
    if (this.ended || !this.countMessage()) return;
    try {
      if (isBinary) throw new MalformedMessage('Messages must be text');
      const message = parseIncoming(this.socket.protocol, data as Buffer);
      if (!message) return this.close(1000, 'Terminated by the client.');
      if (message.type === 'connection_init') await this.handleInit(() => listener(message.text));
      else await this.handleMessage(() => listener(message.text));
    } catch (error) {
      if (error instanceof MalformedMessage) return this.close(CloseCode.BadMessage, error.message);
      this.faults.log(error);
      this.close(CloseCode.Failed, 'Internal server error');
    }
  }

  private async handleInit(listen: () => Promise<void>): Promise<void> {
    const origin = originOf(this.request, 'socket');
    this.initHandling = runInRequestContext({ requestId: generateRequestId(), origin }, listen);
    await this.initHandling;
    if (this.legacy && !this.ended) this.writer.write(LEGACY_KEEP_ALIVE);
  }

  /** Legacy clients may send operations before connection_ack; modern clients may not. */
  private async handleMessage(listen: () => Promise<void>): Promise<void> {
    if (this.legacy) await this.initHandling;
    if (this.ended) return;
    const answer = new InFlightResponse(() => this.dropSlowReader());
    this.responses.add(answer);
    try {
      const { actor } = this;
      const origin = originOf(this.request, 'socket');
      await runInRequestContext(
        { requestId: generateRequestId(), actor, caller: actor, response: answer, origin },
        listen,
      );
    } finally {
      answer.close();
      this.responses.delete(answer);
    }
  }
}

/** A close frame holds 123 bytes; a character that is cut becomes U+FFFD, which takes three bytes. */
function truncateReason(reason: string): string {
  return Buffer.from(reason).subarray(0, 120).toString();
}
