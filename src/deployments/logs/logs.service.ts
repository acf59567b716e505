import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Actor } from '../../core/access/actor.js';
import { Authenticator } from '../../core/access/authenticator.js';
import { whenExpired } from '../../core/access/token-expiry.js';
import { Env } from '../../core/config/env.js';
import { AppError, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { limitRemedy } from '../../core/errors/limit-remedy.js';
import { mayChangeRoles } from '../../core/events/event-kinds.js';
import { type EventNotification, EVENTS_TOPIC } from '../../core/events/event-notification.js';
import { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';
import { isObject } from '../../core/json/json.js';
import { clientNetwork } from '../../core/rest/client-network.js';
import { type EndReason, formatNamedEvent, ServerSentEvents } from '../../core/rest/server-sent-events.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ResourceKind } from '../../kubernetes/clusters/discovery.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import type { Deployment, DeployedResource } from '../deployment.entity.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentsService } from '../deployments.service.js';
import { DesignSecretsService, HIDE_ALL, type Hiding } from '../design-secrets.service.js';
import { isOwnedBy } from '../plan/owner.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import { versionFor } from '../renderings/rendering.js';
import { type LogQuery, parseSince } from './log.inputs.js';
import { findContainers, findPods, hasLogs, type LogSource } from './log-sources.js';

/** The maximum size of the logs in one response, and of what a stream sends in a second. */
const MAX_BYTES = 1_000_000;
const MAX_SOURCES = 20;
const MAX_SECRETS = 100;
/** The maximum length of the Secrets on the cluster that are read; of more, nothing is shown. */
const MAX_SECRET_CHARACTERS = 16_000_000;
/** A longer line comes in pieces, as in a stream. */
const MAX_LINE = 16 * 1024;
/** The maximum number of reads at a time of one user. */
const MAX_READS = 4;
const TIMEOUT_MS = 60_000;
const FOLLOW_MS = 3_600_000;
const HEARTBEAT_MS = 15_000;
/** The period in which changes of roles are combined. */
const GATHER_MS = 250;

/** The logs that a request asks for. */
interface FoundLogs {
  organizationId: string;
  connectionId: string;
  pods: ResourceKind;
  sources: LogSource[];
  secrets: Pick<Hiding, 'hideInMessage'>;
}

/** A stream from its request to its end. */
class OpenStream {
  /** Of its deployment, once that is known. */
  organizationId?: string;
  private readonly controller = new AbortController();
  private due?: NodeJS.Timeout;

  /** @param authorize throws when its reader may no longer read the logs */
  constructor(
    readonly actor: Actor,
    private readonly authorize: () => Promise<void>,
  ) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(reason: EndReason): void {
    clearTimeout(this.due);
    if (!this.signal.aborted) this.controller.abort(reason);
  }

  /** Ends when its reader has lost the right. */
  async check(): Promise<void> {
    await this.authorize().catch((error: unknown) => {
      if (error instanceof AppError && [401, 403, 404].includes(error.status)) this.end('rights_changed');
    });
  }

  /** Checks once for several changes of roles. */
  recheck(): void {
    if (this.signal.aborted) return;
    this.due ??= setTimeout(() => {
      this.due = undefined;
      void this.check();
    }, GATHER_MS).unref();
  }
}

/** Reads what containers of a deployment have written, without the values of the Secrets of its design. */
@Injectable()
export class LogsService implements OnModuleInit, OnModuleDestroy {
  private readonly open = new Set<OpenStream>();
  private readonly reads = new Set<{ actor: Actor }>();
  private readonly stopListening: () => void;

  constructor(
    private readonly deployments: DeploymentsService,
    private readonly context: DeploymentContextService,
    private readonly secrets: DesignSecretsService,
    private readonly authenticator: Authenticator,
    private readonly pubsub: PostgresPubSub,
    private readonly env: Env,
  ) {
    this.stopListening = authenticator.onRevoked(({ userId, sessionId }) => {
      for (const stream of this.open)
        if (stream.actor.userId === userId && (sessionId === null || stream.actor.sessionId === sessionId))
          stream.end('rights_changed');
    });
  }

  async onModuleInit(): Promise<void> {
    await this.pubsub.subscribe<EventNotification>(EVENTS_TOPIC, (notice) => this.onEvent(notice));
    this.pubsub.onMissed(() => {
      for (const stream of this.open) stream.recheck();
    });
  }

  /** The logs as text. @throws NotFound for an object that is not of the deployment, ClusterError when the node does not answer */
  async read(actor: Actor, id: string, query: LogQuery): Promise<string> {
    this.assertFewReads(actor);
    const reading = { actor };
    this.reads.add(reading);
    let client: ClusterClient | undefined;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const found = await this.find(actor, id, query, signal);
      // A node that does not answer keeps a socket, which deployments through the shared client would lack.
      client = await this.context.openClient(found.connectionId, { connections: 1 });
      return await readAll(client, found, query, signal);
    } finally {
      this.reads.delete(reading);
      await client?.close();
    }
  }

  /** Streams lines as server-sent events until all containers have ended, the caller leaves, or loses the right. */
  async follow(actor: Actor, id: string, query: LogQuery, request: Request, response: Response): Promise<void> {
    if (request.method === 'HEAD') return new ServerSentEvents(response).end();
    this.assertFewStreams(actor);
    const stream = new OpenStream(
      actor,
      AsyncResource.bind(() => this.assertStillAllowed(actor, id, request)),
    );
    const { signal } = stream;
    this.open.add(stream);
    response.once('close', () => stream.end('ended'));
    const stopWaiting = whenExpired(actor, () => stream.end('rights_changed'));
    const timer = setTimeout(() => stream.end('time_limit'), FOLLOW_MS).unref();
    const beats: { beat?: NodeJS.Timeout } = {};
    let client: ClusterClient | undefined;
    try {
      const found = await this.find(actor, id, query, signal);
      stream.organizationId = found.organizationId;
      // Streams keep their sockets, which deployments through the shared client would lack.
      client = await this.context.openClient(found.connectionId, { connections: MAX_SOURCES });
      const first = await this.openAll(client, found, query, signal);
      const events = new ServerSentEvents(response);
      beats.beat = setInterval(() => {
        events.heartbeat();
        void stream.check();
      }, HEARTBEAT_MS);
      const pace = new Pace();
      const ends = await Promise.all(first.map((lines) => this.send(lines, events, found.secrets, pace, signal)));
      events.end(toEndReason(signal.reason) ?? (ends.includes('unreachable') ? 'unreachable' : 'ended'));
    } catch (error) {
      if (!signal.aborted) throw error;
      response.destroy();
    } finally {
      clearInterval(beats.beat);
      clearTimeout(timer);
      stopWaiting();
      this.open.delete(stream);
      stream.end('ended');
      await client?.close();
    }
  }

  onModuleDestroy(): void {
    this.stopListening();
    for (const stream of this.open) stream.end('shutdown');
  }

  private onEvent({ organizationId, category, action }: EventNotification): void {
    // An environment says who reads the logs of its deployments.
    const mayEndRights = mayChangeRoles({ category, action }) || (category === 'environment' && action === 'updated');
    if (!mayEndRights) return;
    for (const stream of this.open) if ((stream.organizationId ?? organizationId) === organizationId) stream.recheck();
  }

  private async find(actor: Actor, id: string, query: LogQuery, signal: AbortSignal): Promise<FoundLogs> {
    const deployment = await this.deployments.get(actor, id);
    const resources = chooseResources(deployment, query.resource);
    const [first] = resources;
    if (!first) throw InvalidRequest.forField('resource', 'is required: no object of the deployment runs pods');
    const connectionId = first.connection_id;
    const client = await this.context.getClient(connectionId);
    const owner = await this.context.getOwner(deployment, connectionId);
    const pods = await client.findKind('v1', 'Pod');
    if (!pods) throw new ClusterError('notSupported', 'The cluster serves no pods');
    const sources: LogSource[] = [];
    for (const resource of resources.filter((one) => one.connection_id === connectionId)) {
      const live = await this.lookup(client, resource, signal);
      // What now belongs to somebody else is none of this deployment's.
      if (!live || !isOwnedBy(owner, live)) {
        if (query.resource) throw new NotFound('resource', query.resource);
        continue;
      }
      for (const pod of await findPods(client, live, signal))
        sources.push(...findContainers(pod, query.container || undefined));
    }
    if (sources.length === 0 && query.container)
      throw InvalidRequest.forField('container', 'is in no pod of these objects that runs now');
    const secrets = await this.readSecrets(deployment, connectionId, client, signal);
    const { organizationId } = deployment;
    return { organizationId, connectionId, pods, sources: sources.slice(0, MAX_SOURCES), secrets };
  }

  private async lookup(
    client: ClusterClient,
    { api_version, kind, namespace, name }: DeployedResource,
    signal: AbortSignal,
  ): Promise<KubernetesObject | undefined> {
    const found = await client.findKind(api_version, kind);
    return found && client.lookup(found, name, namespace ?? undefined, signal);
  }

  /** The values of the design, and of its Secrets as they are on the cluster, which the design may not know. */
  private async readSecrets(
    deployment: Deployment,
    connectionId: string,
    client: ClusterClient,
    signal: AbortSignal,
  ): Promise<Pick<Hiding, 'hideInMessage'>> {
    const named = deployment.resources.filter((one) => one.kind === 'Secret' && one.connection_id === connectionId);
    const live: KubernetesObject[] = [];
    let characters = 0;
    for (const resource of named.slice(0, MAX_SECRETS)) {
      const secret = await this.lookup(client, resource, signal).catch((error: unknown) => {
        if (error instanceof ClusterError && error.kind === 'forbidden') return undefined;
        throw error;
      });
      if (secret) live.push(secret);
      characters += sizeOf(secret?.['data']);
      if (characters > MAX_SECRET_CHARACTERS) return HIDE_ALL;
    }
    return this.secrets.readWithLive(deployment.designId, versionFor(deployment, connectionId), live);
  }

  /** The streams of containers that can be read. Where there is none, the first failure is the error of the request. */
  private async openAll(
    client: ClusterClient,
    { pods, sources, secrets }: FoundLogs,
    query: LogQuery,
    signal: AbortSignal,
  ): Promise<OpenLog[]> {
    const opened = await Promise.allSettled(
      sources.map(async (source) => {
        const options = { ...toOptions(query), container: source.container, signal };
        return { source, lines: await client.followLog(pods, source.pod, options) };
      }),
    );
    const failure = opened.find((one) => one.status === 'rejected')?.reason as Error | undefined;
    const open = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (open.length > 0 || failure === undefined) return open;
    throw failure instanceof ClusterError ? failure.withMessage(secrets.hideInMessage(failure.message)) : failure;
  }

  private async send(
    { source, lines }: OpenLog,
    events: ServerSentEvents,
    secrets: FoundLogs['secrets'],
    pace: Pace,
    signal: AbortSignal,
  ): Promise<EndReason> {
    try {
      for await (const bytes of lines) {
        if (signal.aborted) break;
        const { at, line } = splitTime(Buffer.from(bytes).toString('utf8'));
        const data = { pod: source.pod.name, container: source.container, at, line: secrets.hideInMessage(line) };
        const text = formatNamedEvent('log', data);
        await pace.wait(text.length, signal);
        await events.send(text);
      }
      return 'ended';
    } catch (error) {
      if (signal.aborted) return 'ended';
      if (error instanceof ClusterError) return 'unreachable';
      throw error;
    }
  }

  private async assertStillAllowed(actor: Actor, id: string, request: Request): Promise<void> {
    await this.authenticator.authenticate(request, () => clientNetwork(request.ip));
    await this.deployments.authorize(actor, deploymentPolicy.logs, id);
  }

  private assertFewReads(actor: Actor): void {
    if (countOf(actor, this.reads) < MAX_READS) return;
    throw new AppError(429, 'TOO_BUSY', 'Too busy', `one user may read ${MAX_READS} logs at a time`, {
      headers: { 'Retry-After': '5' },
      remedy: 'Wait for a response before you read more logs.',
    });
  }

  private assertFewStreams(actor: Actor): void {
    const most = this.env.LIMIT_SOCKETS_PER_USER;
    if (countOf(actor, this.open) < most) return;
    throw new AppError(429, 'TOO_MANY_STREAMS', 'Too many streams', `one user may have ${most} streams at a time`, {
      headers: { 'Retry-After': '5' },
      remedy: limitRemedy('End a stream before you open another.', 'LIMIT_SOCKETS_PER_USER'),
    });
  }
}

interface OpenLog {
  source: LogSource;
  lines: AsyncGenerator<Uint8Array>;
}

const countOf = ({ userId }: Actor, open: Iterable<{ actor: Actor }>): number =>
  [...open].filter(({ actor }) => actor.userId === userId).length;

/** The number of characters of the values of a Secret. */
const sizeOf = (data: unknown): number =>
  isObject(data)
    ? Object.values(data).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
    : 0;

const nameOf = ({ pod, container }: LogSource): string => `${pod.name}/${container}`;

const cutNote = (source: LogSource): string =>
  `# ${nameOf(source)}: the rest is cut off; ask with since or tail for the last lines\n`;

function chooseResources({ resources }: Deployment, wanted: string | undefined): DeployedResource[] {
  if (!wanted) return resources.filter((one) => hasLogs({ apiVersion: one.api_version, kind: one.kind }));
  const named = resources.filter(({ kind, namespace, name }) => `${kind}/${namespace}/${name}` === wanted);
  if (named.length === 0) throw new NotFound('resource', wanted);
  if (named.some((one) => hasLogs({ apiVersion: one.api_version, kind: one.kind }))) return named;
  throw InvalidRequest.forField('resource', 'runs no pods', 'Name a workload, such as a Deployment or a Pod.');
}

function toOptions({ previous, since, tail }: LogQuery) {
  return {
    ...(previous === 'true' && { previous: true }),
    ...parseSince(since),
    ...(tail && { tailLines: Number(tail) }),
  };
}

/** The logs of containers, one after the other. Each may have the same part of what is left of the maximum size as it is sent. */
async function readAll(
  client: ClusterClient,
  { pods, sources, secrets }: FoundLogs,
  query: LogQuery,
  signal: AbortSignal,
): Promise<string> {
  const texts: string[] = [];
  let failure: ClusterError | undefined;
  let isRead = false;
  let left = MAX_BYTES;
  for (const [index, source] of sources.entries()) {
    const most = Math.floor(left / (sources.length - index));
    let rest = most;
    try {
      const options = { ...toOptions(query), container: source.container, signal };
      const bytes = await client.readLog(pods, source.pod, options, most);
      isRead = true;
      for await (const line of toLines(
        bytes.subarray(0, most),
        secrets,
        sources.length > 1 ? `[${nameOf(source)}] ` : '',
      )) {
        rest -= Buffer.byteLength(line);
        if (rest < 0) break;
        texts.push(line);
      }
      if (rest < 0 || bytes.length >= most) texts.push(cutNote(source));
    } catch (error) {
      const failed = signal.aborted ? new ClusterError('timeout', 'The logs were not read in time') : error;
      if (!(failed instanceof ClusterError)) throw failed;
      const message = secrets.hideInMessage(failed.message);
      failure ??= failed.withMessage(message);
      texts.push(`# ${nameOf(source)}: ${message}\n`);
    }
    left -= most - Math.max(rest, 0);
  }
  if (failure && !isRead) throw failure;
  return texts.join('');
}

/** The lines of a log with their ends, without secret values; bytes that are no text are replaced. */
async function* toLines(bytes: Uint8Array, secrets: FoundLogs['secrets'], prefix: string): AsyncGenerator<string> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  const turns = new TimeSlicer();
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const length = (end < 0 ? text.length : end) - start;
    const piece = text.slice(start, start + Math.min(length, MAX_LINE));
    yield `${prefix}${secrets.hideInMessage(piece)}\n`;
    start += length > MAX_LINE ? MAX_LINE : length + 1;
    await turns.yieldToEventLoop();
  }
}

/** A line of a log with timestamps, which a piece of a long line does not have. */
function splitTime(text: string): { at: string | null; line: string } {
  const end = text.indexOf(' ');
  const at = end > 0 && end <= 40 ? text.slice(0, end) : '';
  return /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(at)
    ? { at, line: text.slice(end + 1) }
    : { at: null, line: text };
}

/** Keeps a stream below a number of characters a second, whatever its containers write. */
class Pace {
  private until = 0;
  private sent = 0;

  async wait(size: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    if (now >= this.until) {
      this.until = now + 1_000;
      this.sent = 0;
    }
    this.sent += size;
    if (this.sent > MAX_BYTES) await sleep(this.until - now, undefined, { signal });
  }
}

const REASONS: readonly EndReason[] = ['rights_changed', 'shutdown', 'time_limit'];
const toEndReason = (reason: unknown): EndReason | undefined => REASONS.find((one) => one === reason);
