import { Injectable } from '@nestjs/common';
import { AuditedRequests } from '../../../core/database/audited-request.js';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { currentRequest } from '../../../core/telemetry/request-context.js';
import { INSTALLATION_CHAIN, PendingAuditRow } from '../audit.entity.js';
import type { TracedRow } from './pending-row.js';

/**
 * Makes the planner read pending rows by their index. The table is a queue in which most rows are deleted and not yet vacuumed: a plan
 * from when it was small would scan them all for every batch. The setting `armature.sealing` makes the rows visible, to exclude servers
 * of earlier versions, which do not seal events with the changes of their transaction.
 */
const BEGIN_SEALING = named(
  `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
          set_config('armature.sealing', 'change sets', true)`,
);
const IS_PENDING = named('SELECT EXISTS (SELECT FROM audit_pending WHERE position > $1) AS pending');
const REMOVE = named('DELETE FROM audit_pending WHERE position = ANY($1)');
/** Reads the events of transactions in order, without the progress of deployments, which changes no record. */
const READ_EVENTS = named(`SELECT change_set, coalesce(organization_id, '${INSTALLATION_CHAIN}') AS chain,
       category || '.' || action AS action, category AS "resourceType", acted_upon AS "resourceId",
       coalesce(user_id::text, 'system') AS acting, created_at AS "createdAt",
       id AS event_id, workspace_id, system_actor, metadata
  FROM event WHERE change_set = ANY($1) AND NOT (category = 'deployment' AND action = 'progress') ORDER BY sequence, id`);

const ADD_OPERATION =
  named(`INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, after, acting, context, created_at)
  VALUES (pg_current_xact_id()::text::bigint, $1, 'event', $2, $3, $4, $5, $6, $7, clock_timestamp())`);

/** An operation on the audit itself. */
export interface PendingOperation {
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

/** A batch of pending rows. */
export interface PendingBatch {
  /** The rows, and the events of their transactions. */
  rows: TracedRow[];
  /** The positions of the rows, for their removal. */
  positions: string[];
  /** The position of the last row; remaining rows follow it. */
  end: string;
  hasMore: boolean;
}

/** Rows to be appended to the chains. Queries run as the system, in the open unit of work. */
@Injectable()
export class PendingRowsStore {
  private readSql?: string;

  constructor(
    private readonly unit: UnitOfWork,
    private readonly requests: AuditedRequests,
  ) {}

  /** Reports whether there are rows after a position. Takes no lock. */
  async exist(after: string): Promise<boolean> {
    await this.unit.manager.query(BEGIN_SEALING);
    const [row] = await this.unit.manager.query<{ pending: boolean }[]>(IS_PENDING, [after]);
    return row?.pending ?? false;
  }

  /** Reads up to `most` of the oldest rows after a position, and splits no transaction unless it has more rows than `most`. */
  async find(after: string, most: number): Promise<PendingBatch> {
    await this.unit.manager.query(BEGIN_SEALING);
    const oldest = await this.unit.manager.query<PendingAuditRow[]>((this.readSql ??= this.buildRead()), [after, most]);
    const hasMore = oldest.length === most;
    // The last transaction may have more rows.
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

  /** Records an operation on the audit itself. */
  async addOperation(operation: PendingOperation, metadata: object): Promise<void> {
    const request = currentRequest();
    await this.unit.manager.query(ADD_OPERATION, [
      operation.chain,
      operation.action,
      operation.resourceType,
      operation.resourceId,
      JSON.stringify({ metadata }),
      request?.caller?.userId ?? 'system',
      request ? this.requests.describe(request) : null,
    ]);
  }

  /** Finds the events of the rows' transactions. They have the request of the first change of their transaction. */
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

  /** Adds the request to each row. Verifies each distinct signature once. */
  private trace(rows: PendingAuditRow[]): WithRequest[] {
    const contexts = new Set(rows.flatMap(({ context }) => context ?? []));
    const requests = new Map([...contexts].map((context) => [context, this.requests.read(context)]));
    return rows.map((row) => Object.assign(row, { request: requests.get(row.context ?? '') ?? null }));
  }
}
