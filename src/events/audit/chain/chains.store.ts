import { Injectable } from '@nestjs/common';
import { AuditedRequests } from '../../../core/database/audited-request.js';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { currentRequest } from '../../../core/telemetry/request-context.js';
import { AuditChain, AuditEntry, PendingAuditRow } from '../audit.entity.js';
import type { TracedRow } from './entry-builder.js';
import { GENESIS } from './entry-hash.js';

/** The key of the advisory lock that lets one process at a time extend the chains. */
const ADVISORY_LOCK = 4_152_781;

/** Numbers after the end of a chain among which entries are looked for that another party put there. */
const MAX_FOREIGN = 1_000_000;

/**
 * What waits is read by its index alone. The table is a queue: nearly all of its rows have been removed and not yet vacuumed, and a
 * plan that was made while it was small would read each of them again for every batch.
 */
const READ_BY_INDEX = 'SET LOCAL enable_seqscan = off';
const TAKE_LOCK = named('SELECT pg_advisory_xact_lock($1)');
const TRY_LOCK = named('SELECT pg_try_advisory_xact_lock($1) AS taken');
const IS_PENDING = named('SELECT EXISTS (SELECT FROM audit_pending) AS pending');
const REMOVE_PENDING = named('DELETE FROM audit_pending WHERE position = ANY($1)');
const READ_CHAINS = named('SELECT * FROM audit_chain WHERE chain = ANY($1)');
/** Entries that another party put after the end keep their numbers, which verification finds: the next ones come after them. */
const READ_ENDS_TO_APPEND_TO = named(`SELECT asked.chain, coalesce(foreign_entry.last, kept.last, 0) AS last,
       coalesce(kept.hash, '${GENESIS}') AS hash, coalesce(kept.removed, 0) AS removed
  FROM unnest($1::uuid[]) AS asked (chain) LEFT JOIN audit_chain kept USING (chain)
 CROSS JOIN LATERAL (SELECT max(e.sequence) AS last FROM audit_entry e WHERE e.chain = asked.chain
   AND e.sequence > coalesce(kept.last, 0) AND e.sequence <= coalesce(kept.last, 0) + ${MAX_FOREIGN}) AS foreign_entry`);
/** The first entry that the end of its chain does not reach, or that stands before the first one; both are read at one moment. */
const FIND_STRAY = named(`SELECT e.sequence, e.id FROM audit_entry e
  WHERE e.chain = $1 AND (e.sequence < 1 OR e.sequence > coalesce((SELECT last FROM audit_chain WHERE chain = $1), 0))
  ORDER BY e.sequence LIMIT 1`);
const READ_ACTORS = named('SELECT id, email, kind FROM app_user WHERE id = ANY($1)');
const SAVE_CHAINS = named(`INSERT INTO audit_chain (chain, last, hash)
  SELECT * FROM json_to_recordset($1) AS t (chain uuid, last bigint, hash text)
  ON CONFLICT (chain) DO UPDATE SET last = excluded.last, hash = excluded.hash`);

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

/** What is known of an acting user. */
export interface AuditedAccount {
  id: string;
  email: string;
  kind: string;
}

/** The ends of the chains and what waits to be appended. All of it asks as the system. */
@Injectable()
export class ChainsStore {
  private readSql?: string;
  private insertSql?: string;

  constructor(
    private readonly unit: UnitOfWork,
    private readonly requests: AuditedRequests,
  ) {}

  /** In the open unit of work: no other process extends the chains until its end. @returns false when another does now */
  async lock(waits: boolean): Promise<boolean> {
    if (waits) {
      await this.unit.manager.query(TAKE_LOCK, [ADVISORY_LOCK]);
      return true;
    }
    const [row] = await this.unit.manager.query<{ taken: boolean }[]>(TRY_LOCK, [ADVISORY_LOCK]);
    return row?.taken ?? false;
  }

  /** In the open unit of work: whether anything waits. It locks nothing. */
  async hasPending(): Promise<boolean> {
    await this.unit.manager.query(READ_BY_INDEX);
    const [row] = await this.unit.manager.query<{ pending: boolean }[]>(IS_PENDING);
    return row?.pending ?? false;
  }

  /** In the open unit of work: the oldest that wait. Those of one transaction stay together as long as they are not more than asked for. */
  async findPending(most: number): Promise<{ rows: TracedRow[]; hasMore: boolean }> {
    await this.unit.manager.query(READ_BY_INDEX);
    const pending = await this.unit.manager.query<PendingAuditRow[]>((this.readSql ??= this.buildRead()), [most]);
    const rows = this.trace(pending);
    if (rows.length < most) return { rows, hasMore: false };
    const last = rows.at(-1)?.transaction;
    const whole = rows.filter(({ transaction }) => transaction !== last);
    return { rows: whole.length > 0 ? whole : rows, hasMore: true };
  }

  async removePending(rows: PendingAuditRow[]): Promise<void> {
    await this.unit.manager.query(REMOVE_PENDING, [rows.map(({ position }) => position)]);
  }

  /** The ends of these chains; one that has not begun ends before its first entry. */
  async findEnds(chains: string[]): Promise<Map<string, AuditChain>> {
    const rows = await this.unit.manager.query<AuditChain[]>(READ_CHAINS, [chains]);
    const found = new Map(rows.map((row) => [row.chain, row]));
    return new Map(
      chains.map((chain) => [chain, found.get(chain) ?? { chain, last: '0', hash: GENESIS, removed: '0' }]),
    );
  }

  /** The ends with the numbers after which there is room for entries. */
  async findEndsToAppendTo(chains: string[]): Promise<Map<string, AuditChain>> {
    const rows = await this.unit.manager.query<AuditChain[]>(READ_ENDS_TO_APPEND_TO, [chains]);
    return new Map(rows.map((row) => [row.chain, row]));
  }

  /** An entry outside of the chain: before its first number, or after its end as it is now. */
  async findStray(chain: string): Promise<{ sequence: string; id: string } | null> {
    const [row] = await this.unit.manager.query<{ sequence: string; id: string }[]>(FIND_STRAY, [chain]);
    return row ?? null;
  }

  async findEnd(chain: string): Promise<AuditChain> {
    return (await this.findEnds([chain])).get(chain) as AuditChain;
  }

  async findAccounts(ids: string[]): Promise<Map<string, AuditedAccount>> {
    if (ids.length === 0) return new Map();
    const rows = await this.unit.manager.query<AuditedAccount[]>(READ_ACTORS, [ids]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  async append(entries: AuditEntry[], ends: AuditChain[]): Promise<void> {
    await this.unit.manager.query((this.insertSql ??= this.buildInsert()), [JSON.stringify(entries)]);
    await this.unit.manager.query(SAVE_CHAINS, [JSON.stringify(ends)]);
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

  async findAddress(userId: string): Promise<string | undefined> {
    return (await this.findAccounts([userId])).get(userId)?.email;
  }

  private buildInsert(): string {
    const { columns } = this.unit.manager.connection.getMetadata(AuditEntry);
    const names = columns.map(({ databaseName }) => databaseName).join(', ');
    const given = columns.map(({ propertyName }) => `"${propertyName}"`).join(', ');
    const types = columns.map(({ propertyName, type }) => `"${propertyName}" ${String(type)}`).join(', ');
    return named(
      `INSERT INTO audit_entry (${names}) SELECT ${given} FROM json_to_recordset($1) AS t (${types}) ORDER BY chain, sequence`,
    );
  }

  private buildRead(): string {
    const { columns } = this.unit.manager.connection.getMetadata(PendingAuditRow);
    const read = columns.map(({ databaseName, propertyName }) => `${databaseName} AS "${propertyName}"`).join(', ');
    return named(`SELECT ${read} FROM audit_pending ORDER BY position LIMIT $1`);
  }

  /** The signature of a request is checked once for all its rows, between which are those of others. */
  private trace(rows: PendingAuditRow[]): TracedRow[] {
    const contexts = new Set(rows.flatMap(({ context }) => context ?? []));
    const requests = new Map([...contexts].map((context) => [context, this.requests.read(context)]));
    return rows.map((row) => Object.assign(row, { request: requests.get(row.context ?? '') ?? null }));
  }
}
