import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { NdjsonDownload, toLine } from '../../core/rest/ndjson-download.js';
import { currentRequest, generateRequestId } from '../../core/telemetry/request-context.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import type { RecordedEvent } from '../event.entity.js';
import { EventView } from '../event.view.js';
import { KeptEventsStore } from '../kept-events.store.js';
import { notYetGiven, replayExpired } from '../replay-expired.js';
import { eventLogPolicy } from './event-log.policy.js';
import { EventLogStore } from './event-log.store.js';

const BATCH = 500;

/** Exports the events of an organization that the caller may read, in batches. */
@Injectable()
export class EventExportService {
  constructor(
    private readonly log: EventLogStore,
    private readonly kept: KeptEventsStore,
    private readonly organizations: OrganizationsService,
  ) {}

  /**
   * Exports the events up to now, after a number if given.
   * @throws AppError REPLAY_EXPIRED when events after the number were removed
   */
  async export(actor: Actor, organizationId: string, after: string | undefined): Promise<NdjsonDownload> {
    await this.organizations.authorize(actor, eventLogPolicy.export, organizationId);
    const { oldest, last } = await this.kept.findRange(organizationId);
    const begin = after === undefined ? oldest - 1n : BigInt(after);
    if (begin > last) throw notYetGiven('after', last);
    if (begin + 1n < oldest) throw replayExpired(begin, oldest);
    // Personal data may be erased between exports, so cached responses are never reused.
    const revision = `${begin}-${last}-${currentRequest()?.requestId ?? generateRequestId()}`;
    const lines = this.generate(actor, organizationId, begin, last);
    return new NdjsonDownload(revision, `events-${organizationId}-${last}.ndjson`, lines);
  }

  private async *generate(actor: Actor, organizationId: string, begin: bigint, last: bigint): AsyncGenerator<string> {
    yield toLine({
      type: 'header',
      organization_id: organizationId,
      after: begin.toString(),
      through: last.toString(),
      exported_at: new Date().toISOString(),
    });
    let position = begin;
    while (position < last) {
      // The right may be revoked, and events removed, during the export.
      await this.organizations.authorize(actor, eventLogPolicy.export, organizationId);
      const events = await this.log.readAfter(organizationId, position, last, BATCH);
      const [first] = events;
      if (!first || BigInt(first.sequence) !== position + 1n)
        throw replayExpired(position, first ? BigInt(first.sequence) : last + 1n);
      yield events.map(toEventLine).join('');
      position += BigInt(events.length);
    }
    yield toLine({ type: 'end', events: Number(last - begin), last: last.toString() });
  }
}

/** The read status of users is not exported. */
function toEventLine(event: RecordedEvent): string {
  const line = { type: 'event', ...EventView.fromSeenEvent({ event, read: false }), status: undefined };
  return toLine(line);
}
