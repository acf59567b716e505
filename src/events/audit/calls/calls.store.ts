import { Injectable } from '@nestjs/common';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { normalizeEmail } from '../../../core/schema/one-line-text.js';
import { INSTALLATION_CHAIN } from '../audit.entity.js';
import type { LoggedCall } from './call-log.js';

/** Tables of records that belong to an organization and whose ids appear in paths. */
const HOLDERS = [
  ...['workspace', 'environment', 'connection', 'credential', 'design', 'filter', 'deployment', 'team', 'invitation'],
  ...['environment_freeze', 'policy', 'webhook'],
];

const FIND_HOLDERS = named(
  [
    `SELECT id, id AS organization_id, 'organization' AS type FROM organization WHERE id = ANY($1::uuid[])`,
    ...HOLDERS.map((table) => `SELECT id, organization_id, '${table}' FROM "${table}" WHERE id = ANY($1::uuid[])`),
  ].join(' UNION ALL '),
);
const FIND_ACCOUNTS = named('SELECT id, email FROM app_user WHERE email = ANY($1) AND deleted_at IS NULL');

const INSERT =
  named(`INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, after, acting, context, created_at)
  SELECT pg_current_xact_id()::text::bigint, chain, source, action, resource_type, resource_id, after, acting, context, created_at
    FROM json_to_recordset($1) AS t (chain uuid, source text, action text, resource_type text, resource_id text, after jsonb, acting text,
      context text, created_at timestamptz)`);

interface Holder {
  id: string;
  organization_id: string;
  type: string;
}

/** Writes calls. Queries run as the system. */
@Injectable()
export class CallsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Writes calls to the chain of the record's organization, otherwise to that of the installation. */
  async insert(calls: LoggedCall[]): Promise<void> {
    const holders = await this.findHolders(calls);
    const accounts = await this.findAccounts(calls);
    const rows = calls.map((call) => {
      const { judged, ids, account } = call;
      const found = ids.map((id) => holders.get(id)).filter((holder) => holder !== undefined);
      // The last id of a path is that of the record, the others are those of its parents.
      const named = found.at(-1);
      const accountId = account === undefined ? undefined : accounts.get(normalizeEmail(account));
      return {
        source: call.reason === null ? 'call' : 'refusal',
        chain: judged?.organizationId ?? named?.organization_id ?? INSTALLATION_CHAIN,
        action: call.action,
        resource_type: accountId ? 'user' : (named?.type ?? judged?.type ?? 'operation'),
        resource_id: accountId ?? named?.id ?? judged?.id ?? ids.at(-1) ?? null,
        after: { reason: call.reason, count: call.count },
        acting: call.acting,
        context: call.context,
        created_at: call.at,
      };
    });
    await this.unit.manager.query(INSERT, [JSON.stringify(rows)]);
  }

  private async findHolders(calls: LoggedCall[]): Promise<Map<string, Holder>> {
    const ids = [...new Set(calls.flatMap((call) => call.ids))];
    if (ids.length === 0) return new Map();
    const rows = await this.unit.manager.query<Holder[]>(FIND_HOLDERS, [ids]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  private async findAccounts(calls: LoggedCall[]): Promise<Map<string, string>> {
    const emails = calls.flatMap(({ account }) => (account === undefined ? [] : [normalizeEmail(account)]));
    if (emails.length === 0) return new Map();
    const rows = await this.unit.manager.query<{ id: string; email: string }[]>(FIND_ACCOUNTS, [emails]);
    return new Map(rows.map(({ id, email }) => [email, id]));
  }
}
