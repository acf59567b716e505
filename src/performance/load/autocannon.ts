import { connect as connectTcp, isIP, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import autocannon from 'autocannon';
import { type CannonClient, driveClient, toCannonClient } from '../../core/patches/autocannon/cannon-client.js';
import { describeConnectionFailure } from '../../core/outbound/connection-failure.js';
import { ArrivalSchedule } from './arrival-schedule.js';
import { CLOSED, NOT_HTTP, TIMED_OUT, UNSENT } from './failure-kinds.js';
import { LatencyRecorder } from './latency-histogram.js';
import type { GeneratorTask } from './load-plan.js';
import { countKind, type RunTotals, type Slice } from './measurement.js';
import { StallRecorder } from './stalls.js';

/** A connection to the target and its pending request. Times are milliseconds since the start of the run. */
interface Connection {
  client: CannonClient;
  send: () => void;
  state: 'spare' | 'opening' | 'open' | 'closed';
  isReusable: boolean;
  openingSince: number;
  /** When the pending request was due, or sent; null without one. */
  since: number | null;
  sentAt: number;
  /** Whether a part of the response to the pending request has arrived. */
  hasBegun: boolean;
  idleSince: number;
  /** In a row. */
  failures: number;
}

const FIRST_PAUSE_MS = 10;
/** Short, because until its end the load does not notice that the target is back. */
const MAX_PAUSE_MS = 100;
const TICK_MS = 1;
const MAX_WARM_UP_MS = 2_000;

/**
 * Drives load with autocannon, which writes requests and parses responses. This class schedules the requests, opens the connections and
 * counts errors, because autocannon sends all requests of a second at its start, verifies no certificates, and counts neither invalid
 * responses nor connections that close without a response.
 */
export class AutocannonLoad {
  private readonly idle: Connection[] = [];
  private readonly connections: Connection[] = [];
  private readonly schedule: ArrivalSchedule;
  /** As of `performance.now()`. */
  private began = Infinity;
  private isOver = false;
  private recorder = new LatencyRecorder();
  private sliceStart = 0;
  private bytes = 0;
  private statuses: Record<string, number> = {};
  private errors: Record<string, number> = {};
  private readonly stalls = new StallRecorder();
  private readonly service = new LatencyRecorder();
  private readonly firstByte = new LatencyRecorder();
  private readonly connect = new LatencyRecorder();
  private readonly wait = new LatencyRecorder();
  private readonly lag = new LatencyRecorder();
  private sent = 0;
  private mostOpen = 0;
  /** Why no connection can be opened; undefined unless the last attempt failed and none is open. */
  private outage: string | undefined;

  constructor(
    private readonly task: GeneratorTask,
    private readonly report: (slice: Slice) => void,
  ) {
    this.schedule = new ArrivalSchedule(task.plan);
  }

  /** Resolves when every due request has a response or has failed. */
  async run(): Promise<RunTotals> {
    const { plan, headers, body } = this.task;
    const cannon = autocannon(
      {
        url: plan.endpoint,
        method: plan.method,
        headers,
        body: body === '' ? undefined : body,
        connections: plan.connections,
        timeout: plan.timeout,
        // A limit that is never reached: the client is stopped below.
        duration: plan.seconds + 10 * plan.timeout,
        setupClient: (client) => this.adopt(toCannonClient(client)),
      },
      () => undefined,
    );
    await this.waitForConnections();
    this.began = performance.now();
    const seconds = setInterval(() => this.closeSlice(), 1_000);
    await this.pace();
    this.isOver = true;
    clearInterval(seconds);
    this.closeSlice();
    cannon.stop?.();
    return this.toTotals();
  }

  /** Opens the connections before the measurement starts, unless that takes long. */
  private async waitForConnections(): Promise<void> {
    const isTried = ({ state, failures }: Connection): boolean => state !== 'opening' || failures > 0;
    for (const until = performance.now() + MAX_WARM_UP_MS; performance.now() < until; await sleep(TICK_MS))
      if (this.connections.length > 0 && this.connections.every(isTried)) return;
  }

  private async pace(): Promise<void> {
    const { seconds, timeout } = this.task.plan;
    const end = seconds * 1_000;
    for (;;) {
      this.dispatch();
      const now = this.elapsed();
      const waiting = this.connections.filter((connection) => this.isWaiting(connection)).length;
      const backlog = this.schedule.backlog(now);
      if (now >= end && ((waiting === 0 && backlog === 0) || now >= end + timeout * 1_000)) {
        if (waiting > 0) countKind(this.errors, TIMED_OUT, waiting);
        if (backlog > 0) countKind(this.errors, UNSENT, backlog);
        return;
      }
      await sleep(TICK_MS);
    }
  }

  /** Whether a request waits for its response, or an attempt to connect for its end, which a closed load counts like a request. */
  private isWaiting(connection: Connection): boolean {
    return connection.since !== null || this.countsAttempt(connection);
  }

  /** Whether an attempt to connect is one of a closed load: its connections send nothing before they are open. */
  private countsAttempt({ state, openingSince }: Connection): boolean {
    const { model, seconds } = this.task.plan;
    return model === 'closed' && state === 'opening' && openingSince < this.began + seconds * 1_000;
  }

  /** Assigns due requests to free connections; while the target cannot be reached, those of an open load fail. */
  private dispatch(): void {
    const now = this.elapsed();
    while (this.idle.length > 0) {
      const due = this.schedule.take(now);
      const connection = due === null ? undefined : this.idle.shift();
      if (due === null || !connection) return;
      // If a connection was free when the request was due, the delay is caused by this generator and not by the server.
      const isLate = connection.idleSince <= due;
      connection.since = isLate ? now : due;
      if (isLate) this.lag.record((now - due) / 1_000);
      else if (now - due > TICK_MS) this.wait.record((now - due) / 1_000);
      if (now < this.task.plan.seconds * 1_000) this.sent += 1;
      connection.sentAt = now;
      connection.hasBegun = false;
      this.stalls.begin(now);
      connection.send();
    }
    if (this.schedule.backlog(now) === 0) return;
    if (this.outage === undefined) this.openSpare();
    else while (this.schedule.take(now) !== null) countKind(this.errors, this.outage);
  }

  /** Opens one more connection, unless one is being opened for the requests that wait. */
  private openSpare(): void {
    if (this.connections.some(({ state }) => state === 'opening')) return;
    const spare = this.connections.find(({ state }) => state === 'spare');
    if (spare) this.open(spare);
  }

  private adopt(client: CannonClient): void {
    const isSpare = this.connections.length >= (this.task.plan.initialConnections ?? Infinity);
    const connection: Connection = {
      ...{ client, send: client._doRequest.bind(client), state: isSpare ? 'spare' : 'closed', isReusable: true },
      ...{ openingSince: 0, since: null, sentAt: 0, hasBegun: false, idleSince: 0, failures: 0 },
    };
    this.connections.push(connection);
    driveClient(client, {
      connect: () => this.reconnect(connection),
      send: () => this.release(connection),
      isBodiless: (head) => {
        connection.isReusable = head.shouldKeepAlive;
        return this.task.plan.method === 'HEAD';
      },
    });
    client.on('response', (status, bytes) => this.handleAnswer(connection, status, bytes));
  }

  private handleAnswer(connection: Connection, status: number, bytes: number): void {
    if (connection.since === null || this.isOver) return;
    const now = this.elapsed();
    this.recorder.record((now - connection.since) / 1_000);
    this.service.record((now - connection.sentAt) / 1_000);
    this.stalls.end(now, true);
    countKind(this.statuses, String(status));
    this.bytes += bytes;
    connection.since = null;
    connection.failures = 0;
  }

  /** Autocannon would send the next request: the connection has its answer. */
  private release(connection: Connection): void {
    if (connection.state !== 'open' || connection.since !== null || this.idle.includes(connection)) return;
    if (!connection.isReusable) return this.open(connection);
    connection.idleSince = this.elapsed();
    this.idle.push(connection);
    this.dispatch();
  }

  /** Autocannon wants a connection: at first, and after nothing has come for as long as a request may take. */
  private reconnect(connection: Connection): void {
    if (connection.state === 'spare') {
      connection.client.conn = new Socket();
      return;
    }
    if (connection.state === 'opening') return this.lose(connection, CONNECT_TIMED_OUT);
    if (connection.since !== null) this.countFailure(connection, TIMED_OUT);
    this.open(connection);
  }

  private open(connection: Connection): void {
    this.close(connection);
    const { client } = connection;
    const conn = connectTo(this.task);
    client.conn = conn;
    client.parser.initialize('RESPONSE');
    connection.isReusable = true;
    connection.state = 'opening';
    connection.openingSince = performance.now();
    client.timeoutTicker.reschedule(client.timeout);
    conn.on('error', (error) => this.lose(connection, describeConnectionFailure(error)));
    conn.on('close', () => this.lose(connection, CLOSED));
    conn.on('end', () => client.parser.finish());
    conn.on('data', (chunk) => {
      this.noticeFirstByte(connection);
      client.pipelinedRequests.addByteCount(chunk.length);
      if (client.parser.execute(chunk) instanceof Error) this.lose(connection, NOT_HTTP);
    });
    conn.on(isTls(this.task) ? 'secureConnect' : 'connect', () => {
      connection.state = 'open';
      this.outage = undefined;
      this.connect.record((performance.now() - connection.openingSince) / 1_000);
      this.mostOpen = Math.max(this.mostOpen, this.connections.filter(({ state }) => state === 'open').length);
      this.release(connection);
    });
  }

  private noticeFirstByte(connection: Connection): void {
    if (connection.since === null || connection.hasBegun) return;
    connection.hasBegun = true;
    this.firstByte.record((this.elapsed() - connection.sentAt) / 1_000);
  }

  private close(connection: Connection): void {
    const { conn, pipelinedRequests } = connection.client;
    connection.state = 'closed';
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
    pipelinedRequests.clear();
    conn?.removeAllListeners().on('error', () => undefined);
    conn?.destroy();
  }

  /** Handles a lost connection: its pending request failed. It is opened again after a pause, which grows with its failures. */
  private lose(connection: Connection, kind: string): void {
    if (this.isOver) return;
    const wasOpen = connection.state === 'open';
    if (connection.since !== null) this.countFailure(connection, kind);
    else {
      connection.failures += 1;
      if (this.elapsed() >= 0 && this.countsAttempt(connection)) countKind(this.errors, kind);
    }
    this.close(connection);
    const { failures } = connection;
    if ((!wasOpen || failures > 1) && !this.connections.some(({ state }) => state === 'open')) this.outage = kind;
    const pause = failures <= 1 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 2));
    setTimeout(() => !this.isOver && this.open(connection), pause);
  }

  private countFailure(connection: Connection, kind: string): void {
    countKind(this.errors, kind);
    this.stalls.end(this.elapsed(), kind === TIMED_OUT);
    connection.since = null;
    connection.failures += 1;
  }

  private closeSlice(): void {
    const now = this.elapsed();
    const { sliceStart: start, bytes, statuses, errors } = this;
    this.report({ start, length: now - start, bytes, statuses, errors, latencies: this.recorder.toHistogram() });
    this.recorder = new LatencyRecorder();
    this.sliceStart = now;
    this.bytes = 0;
    this.statuses = {};
    this.errors = {};
  }

  private toTotals(): RunTotals {
    const { service, firstByte, connect, wait, lag } = this;
    return {
      ...{ service: service.toHistogram(), firstByte: firstByte.toHistogram(), connect: connect.toHistogram() },
      ...{ wait: wait.toHistogram(), lag: lag.toHistogram(), stalls: this.stalls.stalls },
      ...{ sent: this.sent, due: this.schedule.total, connections: this.mostOpen },
    };
  }

  private elapsed(): number {
    return performance.now() - this.began;
  }
}

const isTls = ({ plan }: GeneratorTask): boolean => new URL(plan.endpoint).protocol === 'https:';

/** Connects to the address that was allowed, without resolving the name again; certificates are verified for the name. */
function connectTo(task: GeneratorTask): Socket {
  const { hostname, port } = new URL(task.plan.endpoint);
  const host = task.address;
  if (!isTls(task)) return connectTcp({ host, port: Number(port || 80), noDelay: true });
  const name = hostname.replace(/^\[|\]$/g, '');
  return connectTls({
    ...{ host, port: Number(port || 443), ALPNProtocols: ['http/1.1'] },
    ...(isIP(name) ? {} : { servername: name }),
  });
}

const CONNECT_TIMED_OUT = describeConnectionFailure(
  Object.assign(new Error('the connection timed out'), { code: 'ETIMEDOUT' }),
);
