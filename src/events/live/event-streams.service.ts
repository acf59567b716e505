import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Actor } from '../../core/access/actor.js';
import { Authenticator } from '../../core/access/authenticator.js';
import { whenExpired } from '../../core/access/token-expiry.js';
import { Env } from '../../core/config/env.js';
import { clientNetwork } from '../../core/rest/client-network.js';
import { AppError, InvalidRequest } from '../../core/errors/app-error.js';
import { limitRemedy } from '../../core/errors/limit-remedy.js';
import { SEVERITIES } from '../../core/events/domain-event.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { EVENT_CATEGORIES } from '../../core/events/event-kinds.js';
import { parseWords } from '../../core/listing/words.js';
import { SharedMessage } from '../../core/pubsub/shared-message.js';
import type { SeenEvent } from '../event.entity.js';
import type { EventStreamQuery } from '../event.inputs.js';
import { EventView } from '../event.view.js';
import type { EventFollower } from './event-follower.js';
import { type EndReason, formatServerSentEvent, ServerSentEvents } from '../../core/rest/server-sent-events.js';
import { EventSubscriptionsService } from './event-subscriptions.service.js';

/** The interval of heartbeats, at which the token is also authenticated again. */
const HEARTBEAT_MS = 15_000;
/** The maximum number and total length of events in one write, which limits the memory of a client that does not read. */
const MAX_TOGETHER = 64;
const MAX_CHARACTERS = 64 * 1024;

/** A stream from its request to its end. */
class OpenStream {
  follower?: EventFollower;
  ended = false;
  /** Why it ended, unless its client left. */
  reason?: EndReason;

  constructor(readonly actor: Actor) {}

  end(reason?: EndReason): void {
    if (!this.ended) this.reason = reason;
    this.ended = true;
    void this.follower?.return();
  }
}

/** Streams the events of an organization as server-sent events. A stream ends when its token is no longer valid or its reader loses a role. */
@Injectable()
export class EventStreamsService implements OnModuleDestroy {
  private readonly logger = new Logger(EventStreamsService.name);
  private readonly open = new Set<OpenStream>();
  private readonly stopListening: () => void;
  private draining = false;

  constructor(
    private readonly subscriptions: EventSubscriptionsService,
    private readonly organizations: OrganizationsService,
    private readonly authenticator: Authenticator,
    private readonly env: Env,
  ) {
    this.stopListening = authenticator.onRevoked(({ userId, sessionId }) => {
      for (const stream of this.open)
        if (stream.actor.userId === userId && (sessionId === null || stream.actor.sessionId === sessionId))
          stream.end('rights_changed');
    });
  }

  /** Responds with the stream, or with the headers alone to HEAD. Resolves at the end of the stream. */
  async serve(actor: Actor, query: EventStreamQuery, request: Request, response: Response): Promise<void> {
    const stream = this.openStream(actor);
    const stopWaiting = whenExpired(actor, () => stream.end('rights_changed'));
    try {
      const { organizationId, after } = await this.resolvePosition(
        actor,
        query,
        parseLastEventId(request.get('Last-Event-ID')),
      );
      if (request.method === 'HEAD') return new ServerSentEvents(response).end();
      stream.follower = await this.subscriptions.follow(actor, {
        organizationId,
        workspaceId: query.workspace_id,
        severity: parseWords('severity', query.severity, SEVERITIES),
        category: parseWords('category', query.category, EVENT_CATEGORIES),
        after,
        endsWithRoles: true,
      });
      response.once('close', () => stream.end());
      if (this.draining) stream.end('shutdown');
      if (response.destroyed || stream.ended) stream.end();
      const check = () => this.reauthenticate(stream, request);
      await sendEvents(stream, stream.follower, new ServerSentEvents(response), `${organizationId}:${after}`, check);
    } finally {
      stopWaiting();
      this.open.delete(stream);
      stream.end();
    }
  }

  onModuleDestroy(): void {
    this.draining = true;
    this.logger.log(`closing ${this.open.size} event streams`);
    this.stopListening();
    for (const stream of this.open) stream.end('shutdown');
  }

  private async resolvePosition(
    actor: Actor,
    query: EventStreamQuery,
    resumed?: StreamPosition,
  ): Promise<StreamPosition> {
    const { id } = await this.organizations.resolve(actor, query.organization_id ?? resumed?.organizationId);
    if (resumed && resumed.organizationId !== id)
      throw InvalidRequest.forField('Last-Event-ID', 'is of another organization than orgID');
    const after = resumed?.after ?? query.after ?? (await this.subscriptions.findEnd(id)).toString();
    return { organizationId: id, after };
  }

  /** Authenticates the token again. During a database outage the next heartbeat retries. */
  private async reauthenticate(stream: OpenStream, request: Request): Promise<void> {
    try {
      await this.authenticator.authenticate(request, () => clientNetwork(request.ip));
    } catch (error) {
      if (error instanceof AppError && (error.status === 401 || error.status === 403)) stream.end('rights_changed');
    }
  }

  private openStream(actor: Actor): OpenStream {
    const most = this.env.LIMIT_SOCKETS_PER_USER;
    const stream = new OpenStream(actor);
    if ([...this.open].filter((each) => each.actor.userId === actor.userId).length < most) {
      this.open.add(stream);
      return stream;
    }
    throw new AppError(429, 'TOO_MANY_STREAMS', 'Too many streams', `one user may have ${most} streams at a time`, {
      headers: { 'Retry-After': '5' },
      remedy: limitRemedy('End a stream before you open another.', 'LIMIT_SOCKETS_PER_USER'),
    });
  }
}

function joinTexts(texts: string[]): string[] {
  const pieces: string[] = [];
  for (const text of texts) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + text.length <= MAX_CHARACTERS) pieces[pieces.length - 1] = last + text;
    else pieces.push(text);
  }
  return pieces;
}

/** Formats an event once for all its followers. */
function toText(seen: SeenEvent): string {
  const format = () =>
    formatServerSentEvent(`${seen.event.organizationId}:${seen.event.sequence}`, EventView.fromSeenEvent(seen));
  return seen instanceof SharedMessage ? seen.answerOnce('server-sent event', format) : format();
}

interface StreamPosition {
  organizationId: string;
  after: string;
}

async function sendEvents(
  stream: OpenStream,
  follower: EventFollower,
  events: ServerSentEvents,
  begin: string,
  check: () => Promise<void>,
) {
  const beat = setInterval(() => {
    events.heartbeat();
    void check();
  }, HEARTBEAT_MS);
  try {
    await events.begin(begin);
    for (;;) {
      const batch = await follower.nextBatch(MAX_TOGETHER).catch((error: unknown) => {
        if (!(error instanceof AppError) || ![403, 404].includes(error.status)) throw error;
        stream.end('rights_changed');
        return [];
      });
      if (batch.length === 0) return;
      for (const piece of joinTexts(batch.map(toText))) await events.send(piece);
    }
  } finally {
    clearInterval(beat);
    events.end(stream.reason);
  }
}

function parseLastEventId(id: string | undefined): StreamPosition | undefined {
  if (!id) return undefined;
  const [, organizationId, after] = /^([0-9a-f-]{36}):(\d{1,18})$/i.exec(id) ?? [];
  if (!organizationId || !after) throw InvalidRequest.forField('Last-Event-ID', 'must be <organization>:<number>');
  return { organizationId: organizationId.toLowerCase(), after };
}
