import { Injectable } from '@nestjs/common';
import { AuditedRequests } from '../../../core/database/audited-request.js';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { currentRequest } from '../../../core/telemetry/request-context.js';
import { INSTALLATION_CHAIN, PendingAuditRow } from '../audit.entity.js';
import type { TracedRow } from './pending-row.js';

/**
 * What waits is read in the order of its index alone. The table is a queue: nearly all of its rows have been removed and not yet
 * vacuumed, and a plan that was made while it was small would read each of them, or all that wait, again for every batch. Nobody finds
 * any who does not seal events with the changes of their transaction.
 */
const BEGIN_SEALING = named(
  `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
          set_config('armature.sealing', 'change sets', true)`,
);
const IS_PENDING = named('SELECT EXISTS (SELECT FROM audit_pending WHERE position > $1) AS pending');
const REMOVE = named('DELETE FROM audit_pending WHERE position = ANY($1)');
/** Events of transactions, in their order. How far a deployment has come is no change of anything. */
const READ_EVENTS = named(`SELECT change_set, coalesce(organization_id, '${INSTALLATION_CHAIN}') AS chain,
       category || '.' || action AS action, category AS "resourceType", acted_upon AS "resourceId",
       coalesce(user_id::text, 'system') AS acting, created_at AS "createdAt",
       id AS event_id, workspace_id, system_actor, metadata
  FROM event WHERE change_set = ANY($1) AND NOT (category = 'deployment' AND action = 'progress') ORDER BY sequence, id`);

const ADD_ACT =
  named(`INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, after, acting, context, created_at)
  VALUES (pg_current_xact_id()::text::bigint, $1, 'event', $2, $3, $4, $5, $6, $7, clock_timestamp())`);

/** Something that was done to the audit itself. */
export interface AuditAct {
  chain: string;
  action: string;
  resourceType: string;
  resourceId: string;
}

type WithRequest = PendingAuditRow & TracedRow;

interface EventColumns extends Omit<TracedRow, 'transaction' | 'source' | 'before' | 'after' | 'context' | 'request'> {
  change_set: string;
  event_id: string;
  workspace_id: string | null;
  system_actor: string | null;
  metadata: object;
}

/** What transactions left behind that is not in a chain yet. */
export interface PendingBatch {
  /** The rows, and the events of their transactions. */
  rows: TracedRow[];
  /** Of the rows, for their removal. */
  positions: string[];
  /** The position that the rows end at; what was left stands after it. */
  end: string;
  hasMore: boolean;
}

/** What waits to be appended to the chains. All of it asks as the system, in the open unit of work. */
@Injectable()
export class PendingRowsStore {
  private readSql?: string;

  constructor(
    private readonly unit: UnitOfWork,
    private readonly requests: AuditedRequests,
  ) {}

  /** Whether anything waits after a position. It locks nothing. */
  async exist(after: string): Promise<boolean> {
    await this.unit.manager.query(BEGIN_SEALING);
    const [row] = await this.unit.manager.query<{ pending: boolean }[]>(IS_PENDING, [after]);
    return row?.pending ?? false;
  }

  /** The oldest that wait after a position. Those of one transaction stay together as long as they are not more than asked for. */
  async find(after: string, most: number): Promise<PendingBatch> {
    await this.unit.manager.query(BEGIN_SEALING);
    const oldest = await this.unit.manager.query<PendingAuditRow[]>((this.readSql ??= this.buildRead()), [after, most]);
    const hasMore = oldest.length === most;
    // Of the last transaction there may be more.
    const last = hasMore ? oldest.at(-1)?.transaction : undefined;
    const whole = oldest.filter(({ transaction }) => transaction !== last);
    const taken = whole.length > 0 ? whole : oldest;
    const left = whole.length > 0 ? oldest.find(({ transaction }) => transaction === last) : undefined;
    const rows = this.trace(taken);
    return {
      rows: [...rows, ...(await this.findEvents(rows))],
      positions: taken.map(({ position }) => position),
      end: left ? String(BigInt(left.position) - 1n) : (oldest.at(-1)?.position ?? after),
      hasMore,
    };
  }

  async remove(positions: string[]): Promise<void> {
    await this.unit.manager.query(REMOVE, [positions]);
  }

  /** Writes down what was done to the audit itself. */
  async addAct(act: AuditAct, metadata: object): Promise<void> {
    const request = currentRequest();
    await this.unit.manager.query(ADD_ACT, [
      act.chain,
      act.action,
      act.resourceType,
      act.resourceId,
      JSON.stringify({ metadata }),
      request?.caller?.userId ?? 'system',
      request ? this.requests.describe(request) : null,
    ]);
  }

  /** The events that have no rows of their own; they were appended for the request of the first change of their transaction. */
  private async findEvents(rows: WithRequest[]): Promise<TracedRow[]> {
    const first = new Map<string, TracedRow>();
    for (const row of rows) if (row.changeSet !== null && !first.has(row.changeSet)) first.set(row.changeSet, row);
    if (first.size === 0) return [];
    const events = await this.unit.manager.query<EventColumns[]>(READ_EVENTS, [[...first.keys()]]);
    return events.map(({ change_set, event_id, workspace_id, system_actor, metadata, ...event }) => {
      const { transaction, context, request } = first.get(change_set) as TracedRow;
      const after = { event_id, workspace_id, system_actor, metadata };
      return { ...event, transaction, source: 'event', before: null, after, context, request };
    });
  }

  private buildRead(): string {
    const { columns } = this.unit.manager.connection.getMetadata(PendingAuditRow);
    const read = columns.map(({ databaseName, propertyName }) => `${databaseName} AS "${propertyName}"`).join(', ');
    return named(`SELECT ${read} FROM audit_pending WHERE position > $1 ORDER BY position LIMIT $2`);
  }

  /** The signature of a request is checked once for all its rows, between which are those of others. */
  private trace(rows: PendingAuditRow[]): WithRequest[] {
    const contexts = new Set(rows.flatMap(({ context }) => context ?? []));
    const requests = new Map([...contexts].map((context) => [context, this.requests.read(context)]));
    return rows.map((row) => Object.assign(row, { request: requests.get(row.context ?? '') ?? null }));
  }
}
