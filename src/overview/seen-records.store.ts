import { Injectable } from '@nestjs/common';
import { administeredSql, visibleSql } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { RECORD_TYPES, type RecordReference, type RecordType, type SeenRecord } from './record-types.js';

/** A record as it is read, with what its address needs. */
interface Row extends RecordReference {
  name: string;
  workspace_id: string | null;
  organization_id: string;
  object: { connection_id: string; kind: string; namespace: string } | null;
}

const granted = (column: string, type: string): string => `${column} IN (SELECT granted_resources($1, '${type}'))`;
const seenIn = (alias: string, column: string, type: string): string =>
  `(${administeredSql(alias, '$1')} OR ${granted(`${alias}.${column}`, type)})`;

/** Of each type the columns, the table and the rule of its own GET. */
const SELECTS: Record<RecordType, string> = {
  design: `r.name, r.workspace_id, r.organization_id, NULL::jsonb FROM design r WHERE r.deleted_at IS NULL
    AND (${seenIn('r', 'workspace_id', 'workspace')} OR (r.visibility = 'organization'
      AND ${granted('r.organization_id', 'organization')} AND r.workspace_id IN (SELECT id FROM active_workspace)))`,
  deployment: `r.name, r.workspace_id, r.organization_id, NULL FROM deployment r WHERE r.deleted_at IS NULL
    AND ${seenIn('r', 'workspace_id', 'workspace')}`,
  environment: `r.name, NULL, r.organization_id, NULL FROM environment r WHERE r.deleted_at IS NULL
    AND ${visibleSql('r', 'environment', '$1')}`,
  workspace: `r.name, r.id, r.organization_id, NULL FROM workspace r WHERE r.deleted_at IS NULL
    AND ${visibleSql('r', 'workspace', '$1')}`,
  connection: `r.name, NULL, r.organization_id, NULL FROM connection r WHERE r.deleted_at IS NULL
    AND ${visibleSql('r', 'connection', '$1')}`,
  resource: `r.name, NULL, r.organization_id,
      jsonb_build_object('connection_id', r.connection_id, 'kind', r.kind, 'namespace', r.namespace)
    FROM cluster_resource r WHERE ${seenIn('r', 'connection_id', 'connection')}`,
};

const SELECT_SEEN = RECORD_TYPES.map(
  (type, index) => `SELECT '${type}' AS type, r.id, ${SELECTS[type]} AND r.id = ANY ($${index + 2}::uuid[])`,
).join('\nUNION ALL\n');

/** Records of every type, as far as the caller sees them now. */
@Injectable()
export class SeenRecordsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Those of the records that the actor sees, in the given order. */
  async find(actor: Actor, references: readonly RecordReference[]): Promise<SeenRecord[]> {
    if (references.length === 0) return [];
    const ids = RECORD_TYPES.map((type) => references.filter((each) => each.type === type).map(({ id }) => id));
    const rows = await this.unit.manager.query<Row[]>(
      `SELECT type, id, name, workspace_id, organization_id, object
         FROM (${SELECT_SEEN}) AS seen (type, id, name, workspace_id, organization_id, object)`,
      [actor.userId, ...ids],
    );
    const found = new Map(rows.map((row) => [`${row.type} ${row.id}`, row]));
    return references.flatMap(({ type, id }) => {
      const row = found.get(`${type} ${id}`);
      return row ? [{ type, id, name: row.name, workspace_id: row.workspace_id, path: addressOf(row) }] : [];
    });
  }

  /** The best matches of a name, of each type at most `most`. */
  async match(name: string, most: number): Promise<(RecordReference & { match: number })[]> {
    return this.unit.manager.query('SELECT type, id, match FROM find_by_name($1, $2)', [name, most]);
  }
}

/** The address of the screen of a record. An object of a cluster is shown by what has happened to it. */
function addressOf({ type, id, name, organization_id: organizationId, object }: Row): string {
  if (type === 'connection') return `/organizations/${organizationId}/connections`;
  if (type === 'resource' && object) {
    const { connection_id, kind, namespace } = object;
    return `/timeline?${new URLSearchParams({ connection_id, kind, namespace, name }).toString()}`;
  }
  return `/${type}s/${id}`;
}
