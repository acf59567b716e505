import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Store } from '../../../core/database/store.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { ListQuery } from '../../../core/listing/list-query.js';
import { booleanFilter, type Listing, wordFilter } from '../../../core/listing/listing.js';
import type { Page } from '../../../core/listing/page.js';
import { WEBHOOK_FORMATS } from '../formats/webhook-format.js';
import { Webhook } from './webhook.entity.js';

/** The organization or workspace in which endpoints are registered. */
export interface WebhookPlace {
  organizationId: string;
  /** Null for the organization itself. */
  workspaceId: string | null;
}

const listing: Listing<Webhook> = {
  alias: 'webhook',
  pageSize: 20,
  order: {
    created_at: { sql: 'webhook.created_at', type: 'timestamptz', getValue: (webhook) => webhook.createdAt },
    updated_at: { sql: 'webhook.updated_at', type: 'timestamptz', getValue: (webhook) => webhook.updatedAt },
  },
  defaultOrder: 'created_at desc',
  search: ['webhook.url', 'webhook.description'],
  filter: {
    enabled: booleanFilter(
      'enabled',
      (rows, yes) => void rows.andWhere('webhook.enabled = :enabled', { enabled: yes }),
    ),
    format: wordFilter('format', 'webhook.format', WEBHOOK_FORMATS),
  },
};

/** Endpoints of workspaces and organizations. */
@Injectable()
export class WebhooksStore extends Store<Webhook> {
  constructor(unit: UnitOfWork) {
    super(unit, Webhook, 'webhook');
  }

  page(place: WebhookPlace, query: ListQuery): Promise<Page<Webhook>> {
    return this.paginate(this.registeredIn(place), listing, query);
  }

  findIn(place: WebhookPlace, id: string): Promise<Webhook | null> {
    return this.getOne(this.registeredIn(place).andWhere('webhook.id = :id', { id }));
  }

  /** Finds and locks an endpoint, with its encrypted secrets, until the end of the unit of work. */
  lockIn(place: WebhookPlace, id: string): Promise<Webhook | null> {
    const rows = this.registeredIn(place).andWhere('webhook.id = :id', { id });
    return rows.addSelect('webhook.secrets').setLock('pessimistic_write').getOne();
  }

  async count(place: WebhookPlace): Promise<number> {
    return this.registeredIn(place).getCount();
  }

  /** Finds endpoints with their encrypted secrets. */
  findForSending(ids: string[]): Promise<Webhook[]> {
    return this.createQueryBuilder().addSelect('webhook.secrets').where('webhook.id = ANY (:ids)', { ids }).getMany();
  }

  lock(id: string): Promise<Webhook | null> {
    return this.createQueryBuilder().where('webhook.id = :id', { id }).setLock('for_no_key_update').getOne();
  }

  /** Returns how long an endpoint has been failing, by the clock of the database. */
  async readFailingMs(id: string): Promise<number> {
    const [row] = await this.unit.manager.query<{ ms: number }[]>(
      'SELECT coalesce(extract(epoch FROM now() - failing_since) * 1000, 0)::float8 AS ms FROM webhook WHERE id = $1',
      [id],
    );
    return row?.ms ?? 0;
  }

  /** Starts the fan-out of an organization's events. @returns the number of its last event */
  async openFeed(organizationId: string): Promise<string> {
    const [end] = await this.unit.manager.query<{ last: string }[]>('SELECT last FROM event_counter WHERE feed = $1', [
      organizationId,
    ]);
    const last = end?.last ?? '0';
    await this.unit.manager.query(
      'INSERT INTO webhook_feed (organization_id, position) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [organizationId, last],
    );
    return last;
  }

  private registeredIn({ organizationId, workspaceId }: WebhookPlace): SelectQueryBuilder<Webhook> {
    const rows = this.createQueryBuilder().where('webhook.organization_id = :organizationId', { organizationId });
    return workspaceId
      ? rows.andWhere('webhook.workspace_id = :workspaceId', { workspaceId })
      : rows.andWhere('webhook.workspace_id IS NULL');
  }
}
