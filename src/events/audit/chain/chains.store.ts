import { Injectable } from '@nestjs/common';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { AuditChain, AuditEntry } from '../audit.entity.js';
import { GENESIS } from './entry-hash.js';

/** The key of the advisory lock that lets one process at a time extend the chains. */
const ADVISORY_LOCK = 4_152_781;

/** Numbers after the end of a chain among which entries are looked for that another party put there. */
const MAX_FOREIGN = 1_000_000;

const TAKE_LOCK = named('SELECT pg_advisory_xact_lock($1)');
const TRY_LOCK = named('SELECT pg_try_advisory_xact_lock($1) AS taken');
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

/** What is known of an acting user. */
export interface AuditedAccount {
  id: string;
  email: string;
  kind: string;
}

/** The chains and their ends. All of it asks as the system. */
@Injectable()
export class ChainsStore {
  private insertSql?: string;

  constructor(private readonly unit: UnitOfWork) {}

  /** In the open unit of work: no other process extends the chains until its end. @returns false when another does now */
  async lock(waits: boolean): Promise<boolean> {
    if (waits) {
      await this.unit.manager.query(TAKE_LOCK, [ADVISORY_LOCK]);
      return true;
    }
    const [row] = await this.unit.manager.query<{ taken: boolean }[]>(TRY_LOCK, [ADVISORY_LOCK]);
    return row?.taken ?? false;
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
    const { columns } = this.unit.manager.connection.getMetadata(AuditEntry);
    const values = columns.map(({ propertyName }) => entries.map((entry) => entry[propertyName as keyof AuditEntry]));
    await this.unit.manager.query((this.insertSql ??= this.buildInsert(columns)), values);
    await this.unit.manager.query(SAVE_CHAINS, [JSON.stringify(ends)]);
  }

  async findAddress(userId: string): Promise<string | undefined> {
    return (await this.findAccounts([userId])).get(userId)?.email;
  }

  /** Each column is one array: to read the entries from JSON takes the database longer than to write them. */
  private buildInsert(columns: ColumnMetadata[]): string {
    const names = columns.map(({ databaseName }) => databaseName).join(', ');
    const values = columns.map(({ type }, index) => `unnest($${index + 1}::${String(type)}[])`).join(', ');
    return named(`INSERT INTO audit_entry (${names}) SELECT ${values}`);
  }
}
