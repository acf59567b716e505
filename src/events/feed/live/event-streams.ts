import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Actor } from '../../../core/access/actor.js';
import { Authenticator } from '../../../core/access/authenticator.js';
import { Env } from '../../../core/config/env.js';
import { AppError, InvalidRequest } from '../../../core/errors/app-error.js';
import { OrganizationsService } from '../../../organizations/organizations.service.js';
import { type EventStreamQuery, wordsOf } from '../event.inputs.js';
import { EventView } from '../event.view.js';
import { SEVERITIES } from '../../../core/events/domain-event.js';
import type { Follower } from './follower.js';
import { ServerSentEvents } from './server-sent-events.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** How often a stream is given a sign of life and its token is authenticated again. */
const BEAT_MS = 15_000;

interface Open {
  actor: Actor;
  follower: Follower;
}

/** The events of one organization over plain HTTP; each stream lasts as long as the token it was opened with. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly open = new Set<Open>();
  private readonly stopListening: () => void;
  private draining = false;

  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly organizations: OrganizationsService,
    private readonly authenticator: Authenticator,
    private readonly env: Env,
  ) {
    this.stopListening = authenticator.onRevoked(({ userId, sessionId }) => {
      for (const { actor, follower } of [...this.open])
        if (actor.userId === userId && (sessionId === null || actor.sessionId === sessionId)) void follower.return();
    });
  }

  /** Answers with the stream; resolves when it has ended. */
  async serve(actor: Actor, query: EventStreamQuery, request: Request, response: Response): Promise<void> {
    this.mustHaveRoom(actor);
    const resumed = positionOf(request.get('Last-Event-ID'));
    const organization = await this.organizations.meantBy(actor, query.organization_id ?? resumed?.organizationId);
    if (resumed && resumed.organizationId !== organization.id)
      throw InvalidRequest.at('Last-Event-ID', 'is of another organization than orgID');
    const after = resumed?.sequence ?? query.after ?? (await this.subscriptions.end(organization.id)).toString();
    const follower = await this.subscriptions.follow(actor, {
      organizationId: organization.id,
      workspaceId: query.workspace_id,
      severity: wordsOf('severity', query.severity, SEVERITIES),
      category: wordsOf('category', query.category),
      after,
    });
    await this.pump({ actor, follower }, `${organization.id}:${after}`, request, response);
  }

  async onModuleDestroy(): Promise<void> {
    this.draining = true;
    this.stopListening();
    for (const { follower } of [...this.open]) await follower.return();
  }

  private async pump(open: Open, begin: string, request: Request, response: Response): Promise<void> {
    const { follower } = open;
    this.open.add(open);
    const hangUp = (): void => void follower.return();
    response.once('close', hangUp);
    if (this.draining || response.destroyed) hangUp();
    const events = new ServerSentEvents(response);
    const beat = setInterval(() => {
      events.beat();
      void this.recheck(open, request.headers.authorization);
    }, BEAT_MS);
    try {
      await events.begin(begin);
      for await (const seen of follower)
        await events.send(`${seen.event.organizationId}:${seen.event.sequence}`, EventView.of(seen));
    } finally {
      clearInterval(beat);
      this.open.delete(open);
      hangUp();
      events.end();
    }
  }

  /** A token that cannot be looked at, since the database is away, is looked at again next time. */
  private async recheck({ follower }: Open, authorization: string | undefined): Promise<void> {
    try {
      await this.authenticator.authenticate(authorization);
    } catch (error) {
      if (error instanceof AppError && (error.status === 401 || error.status === 403)) await follower.return();
    }
  }

  private mustHaveRoom(actor: Actor): void {
    const most = this.env.LIMIT_SOCKETS_PER_USER;
    if ([...this.open].filter((each) => each.actor.userId === actor.userId).length < most) return;
    throw new AppError(429, 'TOO_MANY_STREAMS', 'Too many streams', `one user may have ${most} streams at a time`, {
      headers: { 'Retry-After': '5' },
      remedy: 'End a stream before you open another.',
    });
  }
}

function positionOf(id: string | undefined): { organizationId: string; sequence: string } | undefined {
  if (!id) return undefined;
  const [, organizationId, sequence] = /^([0-9a-f-]{36}):(\d{1,18})$/i.exec(id) ?? [];
  if (!organizationId || !sequence) throw InvalidRequest.at('Last-Event-ID', 'must be <organization>:<number>');
  return { organizationId: organizationId.toLowerCase(), sequence };
}
