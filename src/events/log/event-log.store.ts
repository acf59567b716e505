import { Injectable } from '@nestjs/common';
import { EntitySelect } from '../../core/database/entity-select.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { RecordedEvent } from '../event.entity.js';
import { feedColumn } from '../feed.store.js';

/** The result of one batch of an erasure. */
export interface ErasedPart {
  events: number;
  deliveries: number;
  /** The number of the last processed event; null at the end. */
  last: string | null;
}

/** Like `event_erase`: replaces the address only where it is not part of a longer one. */
const ERASE_DELIVERIES = String.raw`
  WITH given AS (
    SELECT '(?<![\w.+-])' || regexp_replace($2, '([^\w@])', '\\\1', 'g') || '(?![\w-]|\.\w)' AS pattern
  ), batch AS (
    SELECT id FROM webhook_delivery WHERE organization_id = $1 AND id > $3 ORDER BY id LIMIT $4
  ), changed AS (
    UPDATE webhook_delivery SET request = regexp_replace(request::text, pattern, '[erased]', 'gi')::jsonb,
                                attempts = regexp_replace(attempts::text, pattern, '[erased]', 'gi')::jsonb
      FROM given
     WHERE id IN (SELECT id FROM batch) AND (request::text ~* pattern OR attempts::text ~* pattern)
    RETURNING id
  ) SELECT (SELECT count(*)::int FROM changed) AS deliveries, (SELECT id FROM batch ORDER BY id DESC LIMIT 1) AS last`;

/** Reads events of a feed and erases personal data from them, in order. */
@Injectable()
export class EventLogStore {
  private readonly select = new EntitySelect<RecordedEvent>();

  constructor(private readonly unit: UnitOfWork) {}

  /** Reads up to `most` events after one number and up to another, oldest first. */
  async readAfter(feed: string, after: bigint, through: bigint, most: number): Promise<RecordedEvent[]> {
    const rows = this.unit.manager
      .getRepository(RecordedEvent)
      .createQueryBuilder('event')
      .where(`${feedColumn('event')} = :feed AND event.sequence > :after AND event.sequence <= :through`, {
        feed,
        after: after.toString(),
        through: through.toString(),
      })
      .orderBy('event.sequence', 'ASC')
      .limit(most);
    return (await this.select.getMany(this.unit.manager, rows, { isNamed: false })).records;
  }

  /** Erases the subject of the account at the issuer from its own events, which belong to no organization. Runs as the system. */
  async eraseSubject(userId: string): Promise<number> {
    const [{ erased }] = await this.unit.manager.query<[{ erased: number }]>(
      'SELECT event_erase_subject($1) AS erased',
      [userId],
    );
    return erased;
  }

  /** Erases an address from the next `most` events after a number, and from their webhook deliveries. Runs as the system. */
  async eraseAfter(feed: string, address: string, after: string, most: number): Promise<ErasedPart> {
    const [part] = await this.unit.manager.query<[ErasedPart]>('SELECT * FROM event_erase($1, $2, $3, $4)', [
      feed,
      address,
      after,
      most,
    ]);
    return part;
  }

  /**
   * Erases an address from the next `most` webhook deliveries of an organization after a given one whose events were removed. Runs as
   * the system.
   */
  async eraseDeliveriesAfter(
    organizationId: string,
    address: string,
    after: string,
    most: number,
  ): Promise<{ deliveries: number; last: string | null }> {
    const [part] = await this.unit.manager.query<[{ deliveries: number; last: string | null }]>(ERASE_DELIVERIES, [
      organizationId,
      address,
      after,
      most,
    ]);
    return part;
  }

  /** Erases an address and its names from closed invitations. Runs as the system. */
  async eraseInvitations(organizationId: string, address: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE invitation SET email = 'erased-' || id || '@erased.invalid', first_name = '', last_name = ''
        WHERE organization_id = $1 AND lower(email) = lower($2) AND (accepted_at IS NOT NULL OR deleted_at IS NOT NULL)`,
      [organizationId, address],
    );
  }
}
