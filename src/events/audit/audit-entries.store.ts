import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { validate } from 'uuid';
import { EntitySelect } from '../../core/database/entity-select.js';
import { named } from '../../core/database/statements.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { KeysetCache } from '../../core/listing/keyset-cache.js';
import type { StoredTotal } from '../../core/listing/list-source.js';
import type { FilterCondition, Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { paginate } from '../../core/listing/paginate.js';
import { ACTOR_KINDS, AuditEntry, type Outcome, OUTCOMES } from './audit.entity.js';
import type { AuditFilter, AuditListQuery } from './audit.inputs.js';

type EntryQuery = SelectQueryBuilder<AuditEntry>;

const CONDITIONS: Record<keyof AuditFilter, FilterCondition<AuditEntry>> = {
  actor: (rows, value) => {
    if (isOneOf(ACTOR_KINDS, value)) rows.andWhere('entry.actor_kind = :actorKind', { actorKind: value });
    else if (validate(value))
      rows.andWhere('(entry.actor_id = :actorId OR entry.on_behalf_of = :actorId)', { actorId: value });
    else throw InvalidRequest.forField('actor', `must be a UUID or one of ${ACTOR_KINDS.join(', ')}`);
  },
  action: (rows, value) => {
    const action = requireText('action', value);
    if (action.endsWith('.*')) rows.andWhere('starts_with(entry.action, :action)', { action: action.slice(0, -1) });
    else rows.andWhere('entry.action = :action', { action });
  },
  resource: (rows, value) => {
    const text = requireText('resource', value);
    const [type = '', ...rest] = text.split(/[:/]/);
    if (validate(text)) rows.andWhere('entry.resource_id = :resourceId', { resourceId: text.toLowerCase() });
    else if (!/^[a-z_]+$/.test(type)) throw InvalidRequest.forField('resource', 'must be a UUID, a type, or type:id');
    else {
      rows.andWhere('entry.resource_type = :resourceType', { resourceType: type });
      if (rest.length > 0)
        rows.andWhere('entry.resource_id = :resourceId', { resourceId: rest.join(':').toLowerCase() });
    }
  },
  outcome: (rows, value) => {
    if (!isOneOf(OUTCOMES, value)) throw InvalidRequest.forField('outcome', `must be one of ${OUTCOMES.join(', ')}`);
    rows.andWhere('entry.outcome = :outcome', { outcome: value satisfies Outcome });
  },
  since: (rows, value) => void rows.andWhere('entry.created_at >= :since', { since: requireTime('since', value) }),
  until: (rows, value) => void rows.andWhere('entry.created_at < :until', { until: requireTime('until', value) }),
};

const listing: Listing<AuditEntry> = {
  alias: 'entry',
  pageSize: 20,
  order: {
    sequence: { sql: 'entry.sequence', type: 'bigint', getValue: ({ sequence }) => sequence },
    created_at: { sql: 'entry.created_at', type: 'timestamptz', getValue: ({ createdAt }) => createdAt },
  },
  defaultOrder: 'sequence desc',
  search: ['entry.action'],
  filter: CONDITIONS,
};

/** A chain has no gaps, so its first and last numbers give the number of entries. */
const WHOLE_CHAIN: StoredTotal = {
  total: 'SELECT last - removed FROM audit_chain WHERE chain = :chain',
  version: `SELECT last || ' ' || removed FROM audit_chain WHERE chain = :chain`,
};

/** Reads, erases and removes audit entries. */
@Injectable()
export class AuditEntriesStore {
  private readonly select = new EntitySelect<AuditEntry>();
  private readonly positions = new KeysetCache();

  constructor(private readonly unit: UnitOfWork) {}

  /** Applies the query parameters as conditions; those of `filter` override them. */
  page(chain: string, query: AuditListQuery): Promise<Page<AuditEntry>> {
    const { actor, action, resource, outcome, since, until } = query;
    const given = Object.entries({ actor, action, resource, outcome, since, until }).filter(([, value]) => value);
    const rows = this.selectChain(chain);
    return paginate(rows, { ...listing, filterDefaults: Object.fromEntries(given) }, query, {
      getMany: (page, options) => this.select.getMany(this.unit.manager, page, options),
      ...(given.length === 0 ? { stored: { ...WHOLE_CHAIN, positions: this.positions } } : {}),
    });
  }

  /** @throws InvalidRequest naming the invalid condition */
  assertFilter(chain: string, filter: AuditFilter): void {
    this.selectFiltered(chain, filter);
  }

  /** Returns up to `most` entries after the number `after` that match the filter, oldest first. */
  async readAfter(chain: string, after: string, most: number, filter: AuditFilter = {}): Promise<AuditEntry[]> {
    const rows = this.selectFiltered(chain, filter).andWhere('entry.sequence > :after', { after });
    rows.orderBy('entry.sequence', 'ASC').limit(most);
    return (await this.select.getMany(this.unit.manager, rows, { isNamed: false })).records;
  }

  async find(chain: string, sequence: string): Promise<AuditEntry | null> {
    const rows = this.selectChain(chain).andWhere('entry.sequence = :sequence', { sequence });
    return this.select.getOne(this.unit.manager, rows);
  }

  /** Erases the personal data of a user from up to `most` entries. Runs as the system. @returns the number of entries changed */
  async erase(chain: string, userId: string, address: string, most: number): Promise<number> {
    const [row] = await this.unit.manager.query<{ erased: number }[]>(ERASE, [chain, userId, address, most]);
    return row?.erased ?? 0;
  }

  /** Removes up to `most` of the oldest entries up to the number `through`. Runs as the system. @returns the number removed */
  async prune(chain: string, through: string, most: number): Promise<number> {
    const [row] = await this.unit.manager.query<{ removed: number }[]>(PRUNE, [chain, through, most]);
    return row?.removed ?? 0;
  }

  private selectFiltered(chain: string, filter: AuditFilter): EntryQuery {
    const rows = this.selectChain(chain);
    for (const [key, condition] of Object.entries(CONDITIONS)) {
      const value = filter[key as keyof AuditFilter];
      if (value) condition(rows, value);
    }
    return rows;
  }

  private selectChain(chain: string): EntryQuery {
    return this.unit.manager
      .getRepository(AuditEntry)
      .createQueryBuilder('entry')
      .where('entry.chain = :chain', { chain });
  }
}

const ERASE = named('SELECT audit_erase($1, $2, $3, $4) AS erased');
const PRUNE = named('SELECT audit_prune($1, $2, $3) AS removed');

const isOneOf = <W extends string>(words: readonly W[], value: unknown): value is W =>
  (words as readonly unknown[]).includes(value);

function requireText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw InvalidRequest.forField(name, 'must be a string');
}

function requireTime(name: string, value: unknown): Date {
  const time = new Date(typeof value === 'string' ? value : NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw InvalidRequest.forField(name, 'must be a time with its offset, such as 2027-01-31T18:00:00Z, or a date');
}
