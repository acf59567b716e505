import { Injectable } from '@nestjs/common';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { AuditChain, AuditEntry } from '../audit.entity.js';
import { GENESIS } from './entry-hash.js';

/** The key of the advisory lock that lets one process at a time extend the chains. */
const ADVISORY_LOCK = 4_152_781;

/** How many numbers after the end of a chain are searched for foreign entries, which this server did not append. */
const MAX_FOREIGN = 1_000_000n;

const TAKE_LOCK = named('SELECT pg_advisory_xact_lock($1)');
const TRY_LOCK = named('SELECT pg_try_advisory_xact_lock($1) AS taken');
const READ_CHAINS = named('SELECT * FROM audit_chain WHERE chain = ANY($1)');
/**
 * Reads the last foreign entry after the end of each chain. The bounds are parameters, because under row-level security PostgreSQL uses
 * no index for conditions with `coalesce` or `+`, and would read the whole chain.
 */
const READ_FOREIGN = named(`SELECT ended.chain, foreign_entry.sequence
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS ended (chain, last, most)
 CROSS JOIN LATERAL (SELECT e.sequence FROM audit_entry e
   WHERE e.chain = ended.chain AND e.sequence > ended.last AND e.sequence <= ended.most
   ORDER BY e.sequence DESC LIMIT 1) AS foreign_entry`);
/** Reads the first entry before the start or after the end of a chain, in the same snapshot as the end. */
const FIND_STRAY =
  named(`(SELECT sequence, id FROM audit_entry WHERE chain = $1 AND sequence < 1 ORDER BY sequence LIMIT 1)
  UNION ALL (SELECT sequence, id FROM audit_entry WHERE chain = $1
    AND sequence > (SELECT coalesce(max(last), 0) FROM audit_chain WHERE chain = $1) ORDER BY sequence LIMIT 1)
  ORDER BY sequence LIMIT 1`);
const READ_ACTORS = named('SELECT id, email, kind FROM app_user WHERE id = ANY($1)');
const SAVE_CHAINS = named(`INSERT INTO audit_chain (chain, last, hash, signature)
  SELECT * FROM json_to_recordset($1) AS t (chain uuid, last bigint, hash text, signature text)
  ON CONFLICT (chain) DO UPDATE SET last = excluded.last, hash = excluded.hash, signature = excluded.signature`);

/** The account of an actor. */
export interface AuditedAccount {
  id: string;
  email: string;
  kind: string;
}

/** The chains and their ends. Queries run as the system. */
@Injectable()
export class ChainsStore {
  private insertSql?: string;

  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Takes the lock of the chains until the open unit of work ends: no other process extends them meanwhile.
   * @param waits whether to wait for another process
   * @returns false when another process holds the lock
   */
  async lock(waits: boolean): Promise<boolean> {
    if (waits) {
      await this.unit.manager.query(TAKE_LOCK, [ADVISORY_LOCK]);
      return true;
    }
    const [row] = await this.unit.manager.query<{ taken: boolean }[]>(TRY_LOCK, [ADVISORY_LOCK]);
    return row?.taken ?? false;
  }

  /** Returns the ends of these chains; the end of an empty chain has the number 0. */
  async findEnds(chains: string[]): Promise<Map<string, AuditChain>> {
    const rows = await this.unit.manager.query<AuditChain[]>(READ_CHAINS, [chains]);
    const found = new Map(rows.map((row) => [row.chain, row]));
    return new Map(
      chains.map((chain) => [chain, found.get(chain) ?? { chain, last: '0', hash: GENESIS, removed: '0' }]),
    );
  }

  /**
   * Moves each end behind foreign entries after it, so that new entries get free numbers. Verification reports the foreign entries.
   */
  async skipForeignEntries(ends: Iterable<AuditChain>): Promise<Map<string, AuditChain>> {
    const found = new Map([...ends].map((end) => [end.chain, end]));
    const chains = [...found.keys()];
    const lasts = [...found.values()].map(({ last }) => BigInt(last));
    const bounds = [lasts, lasts.map((last) => last + MAX_FOREIGN)].map((column) => column.map(String));
    const rows = await this.unit.manager.query<{ chain: string; sequence: string }[]>(READ_FOREIGN, [
      chains,
      ...bounds,
    ]);
    for (const { chain, sequence } of rows) found.set(chain, { ...(found.get(chain) as AuditChain), last: sequence });
    return found;
  }

  /** Finds an entry outside of the chain: before its start or after its current end. */
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
    const { columns } = this.unit.manager.connection.getMetadata(AuditEntry);
    const values = columns.map(({ propertyName }) => entries.map((entry) => entry[propertyName as keyof AuditEntry]));
    await this.unit.manager.query((this.insertSql ??= this.buildInsert(columns)), values);
    await this.unit.manager.query(SAVE_CHAINS, [JSON.stringify(ends)]);
  }

  /** Passes each column as one array, because PostgreSQL would take longer to parse the entries from JSON than to write them. */
  private buildInsert(columns: ColumnMetadata[]): string {
    const names = columns.map(({ databaseName }) => databaseName).join(', ');
    const values = columns.map(({ type }, index) => `unnest($${index + 1}::${String(type)}[])`).join(', ');
    return named(`INSERT INTO audit_entry (${names}) SELECT ${values}`);
  }
}
