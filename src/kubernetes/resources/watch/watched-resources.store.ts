import { Injectable } from '@nestjs/common';
import { encodeTextArray } from '../../../core/database/text-array.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import { PostgresPubSub } from '../../../core/pubsub/postgres-pubsub.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { ResourceChange } from '../resource-changes.js';
import { type AppliedFields, combineApplied, digestApplied, rememberApplied } from '../applied-fields.js';
import type { ResourceRow, SeenResource } from '../resource-row.js';
import type { ResourceKey, StoredResource } from './kind-watch.js';
import type { WatchedPlace } from './watched-namespaces.js';

/** The topic of changed resources; messages contain the connection, at most a few a second. */
export const RESOURCES_TOPIC = 'cluster_resources';

export interface ResourcesMessage {
  connection: string;
}

/** The lease of a cluster's watch, for each connection that shares it. Writes have no effect on connections without a valid lease. */
export interface WatchLease {
  connectionIds: string[];
  worker: string;
  /** A connection whose access is another one by now belongs to another watch, maybe of the same process. */
  accessDigest: string;
}

/** The lease was taken over, or none of the connections is watched any more. */
export class WatchLeaseLost extends Error {}

/** The maximum length of a chain of owners, such as Deployment, ReplicaSet, Pod. */
const MAX_CHAIN = 5;
const DELETED_AT_ONCE = 5_000;

/** The columns of rows that are written; those that are not texts, with the SQL of their value. */
const COLUMNS: Record<keyof ResourceRow, string | null> = {
  ...{ namespace: null, name: null, uid: null, owner_uid: null, resource_version: null, health: null },
  ...{ health_message: null, applied_digest: null, digest: null },
  labels: 'labels::jsonb',
  ...{ installation_id: 'installation_id::uuid', design_id: 'design_id::uuid', environment_id: 'environment_id::uuid' },
  ...{ applied_fields: 'applied_fields::jsonb', content: 'content::jsonb', created_at: 'created_at::timestamptz' },
  omitted: `CASE WHEN omitted = '[]' THEN '{}' ELSE ARRAY(SELECT jsonb_array_elements_text(omitted::jsonb)) END AS omitted`,
};
const NAMES = Object.keys(COLUMNS) as (keyof ResourceRow)[];
const GIVEN = `SELECT ${NAMES.map((name) => COLUMNS[name] ?? name).join()}
  FROM unnest(${NAMES.map((_, index) => `$${index + 7}::text[]`).join()}) AS r (${NAMES.join()})`;
/**
 * Whether the digest of a watch was computed with the present credential of its connection; one that cannot be decrypted has no
 * revision. Until then another one may have been shown more than the present one may see.
 */
export const HAS_PRESENT_CREDENTIAL = `(access_revision IS NULL OR EXISTS (
  SELECT FROM connection c LEFT JOIN credential ON credential.id = c.credential_id
   WHERE c.id = connection_id AND split_part(access_revision, '.', 3) = coalesce(c.credential_id::text, '')
     AND split_part(access_revision, '.', 4) = coalesce(credential.revision::text, '')))`;
/** The connections that are still held, with the credential that they were held with; the lock keeps them so until the rows are written. */
const HELD = `held AS MATERIALIZED (
  SELECT connection_id, organization_id FROM cluster_watch WHERE connection_id = ANY ($1) AND worker = $2 AND access_digest = $3
    AND ${HAS_PRESENT_CREDENTIAL} ORDER BY connection_id FOR KEY SHARE)`;
/** Those of them that are written to: all, or those of a place. */
const TARGET = `target AS (SELECT * FROM held WHERE $6::uuid[] IS NULL OR connection_id = ANY ($6))`;
const OWN_DESIGN = `labels ? 'armature.dev/design'`;

/** A row that belongs to a design, or to which this server applied something, before it was changed or deleted. */
interface ChangedRow {
  connectionId: string;
  organizationId: string;
  beforeDigest: string | null;
  beforeDesign: string | null;
  beforeEnvironment: string | null;
  wasOwn: boolean | null;
}

/** The design of a row, which the objects that it owns have as well. */
interface Ownership {
  connection_id: string;
  uid: string;
  installation_id: string | null;
  design_id: string | null;
  environment_id: string | null;
}

interface WrittenRow extends Ownership {
  organization_id: string;
  namespace: string;
  name: string;
  applied_digest: string | null;
}

interface RowBefore {
  connection_id: string;
  namespace: string;
  name: string;
  applied_digest: string | null;
  design_id: string | null;
  environment_id: string | null;
  is_own: boolean;
}

/** Writes the resources of watches: in batches, only differences, and only while the lease is held. */
@Injectable()
export class WatchedResourcesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * @param place where the kind is watched; undefined for all namespaces
   * @throws WatchLeaseLost
   */
  async upsert(
    lease: WatchLease,
    kind: ResourceKind,
    seen: SeenResource[],
    place?: WatchedPlace,
  ): Promise<ResourceChange[]> {
    if (seen.length === 0) return [];
    const rows = await this.compareApplied(lease, kind, seen);
    const connectionIds = place?.connectionIds ?? null;
    const changes = await this.write(lease, kind, connectionIds, GIVEN, toColumns(rows));
    // Owners of another kind may be written at the same time, so each of both looks for the other.
    const owners = rows.flatMap(({ owner_uid, design_id }) => (design_id === null ? (owner_uid ?? []) : []));
    await this.linkToOwners(connectionIds ?? lease.connectionIds, [...new Set(owners)]);
    return changes;
  }

  /** @throws WatchLeaseLost */
  async delete(
    lease: WatchLease,
    kind: ResourceKind,
    objects: ResourceKey[],
    place?: WatchedPlace,
  ): Promise<ResourceChange[]> {
    if (objects.length === 0) return [];
    return this.deleteWhere(
      lease,
      kind,
      place?.connectionIds ?? null,
      `(namespace, name) IN (SELECT namespace, name FROM jsonb_to_recordset($7::jsonb) AS r (namespace text, name text))`,
      toJsonb(objects),
    );
  }

  /** Returns the resources of a kind, or of one namespace, with their digests; null where the connections differ. */
  async findStored(lease: WatchLease, kind: ResourceKind, place?: WatchedPlace): Promise<StoredResource[]> {
    const connectionIds = place?.connectionIds ?? lease.connectionIds;
    const found = await this.unit.manager.query<StoredResource[]>(
      `SELECT namespace, name, CASE WHEN count(digest) = $5 AND min(digest) = max(digest) THEN min(digest) END AS digest
         FROM cluster_resource
        WHERE connection_id = ANY ($1) AND api_version = $2 AND kind = $3 AND ($4::text IS NULL OR namespace = $4)
        GROUP BY namespace, name`,
      [connectionIds, kind.apiVersion, kind.kind, place?.namespace ?? null, connectionIds.length],
    );
    return found;
  }

  /** Deletes the resources of a kind in other namespaces, for one connection. @throws WatchLeaseLost */
  deleteOutside(
    lease: WatchLease,
    kind: ResourceKind,
    connectionId: string,
    namespaces: string[],
  ): Promise<ResourceChange[]> {
    return this.deleteWhere(lease, kind, [connectionId], `namespace <> ALL ($7::text[])`, namespaces);
  }

  /**
   * Makes the resources of a kind of one connection the same as those of another one.
   * @returns null when one of the two is not held any more
   */
  copy(held: WatchLease, kind: ResourceKind, from: string, to: string): Promise<ResourceChange[] | null> {
    const lease = { ...held, connectionIds: [from, to].sort() };
    const source = `SELECT * FROM cluster_resource r WHERE r.connection_id = $7::uuid AND r.api_version = $4 AND r.kind = $5`;
    return this.unit.run(async () => {
      const found = await this.unit.manager.query<unknown[]>(`WITH ${HELD} SELECT FROM held`, [
        lease.connectionIds,
        lease.worker,
        lease.accessDigest,
      ]);
      if (found.length < lease.connectionIds.length) return null;
      const gone = `NOT EXISTS (${source} AND r.namespace = cluster_resource.namespace AND r.name = cluster_resource.name)`;
      const deleted = await this.deleteWhere(lease, kind, [to], gone, from);
      return [...deleted, ...(await this.write(lease, kind, [to], source, [from]))];
    });
  }

  /**
   * Deletes resources of all other kinds, such as those that the cluster no longer serves.
   * @param connectionIds those whose resources are deleted
   * @param kinds those that stay, as `apiVersion kind`
   * @param apiVersions whose kinds stay
   */
  async deleteOtherKinds(
    held: WatchLease,
    connectionIds: string[],
    kinds: string[],
    apiVersions: string[],
  ): Promise<void> {
    await this.unit.manager.query(
      `WITH ${HELD}
       DELETE FROM cluster_resource r USING held WHERE r.connection_id = held.connection_id
          AND api_version || ' ' || kind <> ALL ($4::text[]) AND api_version <> ALL ($5::text[])`,
      [connectionIds, held.worker, held.accessDigest, kinds, apiVersions],
    );
  }

  /** Deletes all resources of a connection in batches. */
  async deleteAll(connectionId: string): Promise<void> {
    for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE;) {
      const [row] = await this.unit.manager.query<{ count: number }[]>(
        `WITH gone AS (DELETE FROM cluster_resource WHERE id IN (
           SELECT id FROM cluster_resource WHERE connection_id = $1 LIMIT ${DELETED_AT_ONCE}) RETURNING connection_id),
         ${notified('gone')}
         SELECT (count(*) + 0 * (SELECT count(*) FROM notified))::int AS count FROM gone`,
        [connectionId],
      );
      deleted = row?.count ?? 0;
    }
  }

  /** Counts the resources of a connection. */
  async count(connectionId: string): Promise<number> {
    const [row] = await this.unit.manager.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM cluster_resource WHERE connection_id = $1`,
      [connectionId],
    );
    return row?.count ?? 0;
  }

  /** Compares the objects with the stored applied fields, and adds those to the rows. */
  private async compareApplied(lease: WatchLease, kind: ResourceKind, seen: SeenResource[]): Promise<ResourceRow[]> {
    const applied = seen.filter((one) => one.applied !== null);
    if (applied.length === 0) return seen.map(({ row }) => row);
    const found = await this.unit.manager.query<{ uid: string; applied: AppliedFields }[]>(
      `SELECT uid, applied_fields AS applied FROM unnest($2::text[], $3::text[]) AS wanted (namespace, name)
         JOIN cluster_resource USING (namespace, name)
        WHERE connection_id = ANY ($1) AND api_version = $4 AND kind = $5 AND applied_fields IS NOT NULL`,
      [
        lease.connectionIds,
        applied.map(({ row }) => row.namespace),
        applied.map(({ row }) => row.name),
        kind.apiVersion,
        kind.kind,
      ],
    );
    const known = new Map<string, AppliedFields | null>();
    for (const one of found) known.set(one.uid, combineApplied(known.get(one.uid) ?? null, one.applied));
    return seen.map(({ row, applied: object, appliedBefore }) => {
      const fields = object && rememberApplied(object, combineApplied(known.get(row.uid) ?? null, appliedBefore));
      return fields
        ? { ...row, applied_fields: fields, applied_digest: digestApplied(kind.kind, object, fields) }
        : row;
    });
  }

  /**
   * Writes rows for each connection in one statement.
   * @param connectionIds those to write to; null for all of the lease
   * @param given SQL of the rows, from the values as $7 and following
   */
  private async write(
    lease: WatchLease,
    kind: ResourceKind,
    connectionIds: string[] | null,
    given: string,
    values: unknown[],
  ): Promise<ResourceChange[]> {
    const [result] = await this.unit.manager.query<[{ held: boolean; before: RowBefore[]; written: WrittenRow[] }]>(
      `WITH ${HELD}, ${TARGET}, given AS MATERIALIZED (${given}),
       before AS (
         SELECT c.connection_id, c.namespace, c.name, c.applied_digest, c.design_id, c.environment_id, c.${OWN_DESIGN} AS is_own
           FROM target CROSS JOIN given JOIN cluster_resource c ON c.connection_id = target.connection_id
            AND c.api_version = $4 AND c.kind = $5 AND given.namespace = c.namespace AND given.name = c.name
          WHERE c.design_id IS NOT NULL OR c.applied_digest IS NOT NULL),
       written AS (
         INSERT INTO cluster_resource AS now
           (id, organization_id, connection_id, api_version, kind, namespace, name, uid, owner_uid, resource_version, labels, health,
            health_message, installation_id, design_id, environment_id, applied_fields, applied_digest, content, omitted, digest, created_at, updated_at)
         SELECT gen_random_uuid(), target.organization_id, target.connection_id, $4, $5, given.namespace, given.name, given.uid,
                given.owner_uid, given.resource_version, given.labels, given.health, given.health_message, given.installation_id,
                given.design_id, given.environment_id, given.applied_fields, given.applied_digest, given.content, given.omitted,
                given.digest, given.created_at, now()
           FROM given CROSS JOIN target
         ON CONFLICT (connection_id, kind, namespace, name, api_version) DO UPDATE SET
           uid = excluded.uid, owner_uid = excluded.owner_uid, resource_version = excluded.resource_version,
           labels = excluded.labels, health = excluded.health, health_message = excluded.health_message,
           installation_id = ${ownOrInherited('installation_id')}, design_id = ${ownOrInherited('design_id')},
           environment_id = ${ownOrInherited('environment_id')},
           applied_fields = excluded.applied_fields, applied_digest = excluded.applied_digest, content = excluded.content, omitted = excluded.omitted,
           digest = excluded.digest, created_at = excluded.created_at, updated_at = excluded.updated_at
         WHERE now.digest IS DISTINCT FROM excluded.digest
         RETURNING now.connection_id, now.organization_id, now.uid, now.namespace, now.name, now.installation_id, now.design_id,
                   now.environment_id, now.applied_digest),
       ${notified('written')}
       SELECT EXISTS (SELECT FROM held) AS held, (SELECT coalesce(json_agg(before), '[]') FROM before) AS before,
              (SELECT coalesce(json_agg(written), '[]') FROM written
                WHERE design_id IS NOT NULL OR applied_digest IS NOT NULL
                   OR (connection_id, namespace, name) IN (SELECT connection_id, namespace, name FROM before)) AS written
        WHERE (SELECT count(*) FROM notified) >= 0`,
      [lease.connectionIds, lease.worker, lease.accessDigest, kind.apiVersion, kind.kind, connectionIds, ...values],
    );
    if (!result.held) throw new WatchLeaseLost();
    const known = new Map(result.before.map((row) => [keyOf(row), row]));
    const pairs = result.written.map((row) => ({ row, before: known.get(keyOf(row)) }));
    await this.passOn(pairs.flatMap(({ row, before }) => (row.design_id === (before?.design_id ?? null) ? [] : row)));
    const changed = pairs.flatMap(({ row, before }) =>
      before && before.applied_digest !== row.applied_digest ? [{ row, before }] : [],
    );
    return toChanges(
      changed.map(({ row, before }) => ({
        connectionId: row.connection_id,
        organizationId: row.organization_id,
        beforeDigest: before.applied_digest,
        beforeDesign: before.design_id,
        beforeEnvironment: before.environment_id,
        wasOwn: before.is_own,
      })),
    );
  }

  /** Sets the design of resources without owner labels to that of their owners, if these have one. */
  private async linkToOwners(connectionIds: string[], ownerUids: string[]): Promise<void> {
    if (ownerUids.length === 0) return;
    await this.passOn(
      await this.unit.manager.query<Ownership[]>(
        `WITH owner AS MATERIALIZED (
           SELECT connection_id, uid, installation_id, design_id, environment_id FROM cluster_resource
            WHERE connection_id = ANY ($1) AND uid = ANY ($2::text[]) AND design_id IS NOT NULL),
         ${LINKED}`,
        [connectionIds, ownerUids],
      ),
      1,
    );
  }

  /** Gives the design of resources to those that they own and that have no owner labels. */
  private async passOn(moved: Ownership[], from = 0): Promise<void> {
    let owners = moved;
    for (let step = from; step < MAX_CHAIN && owners.length > 0; step++)
      owners = await this.unit.manager.query<Ownership[]>(
        `WITH owner AS MATERIALIZED (
           SELECT * FROM jsonb_to_recordset($1::jsonb)
             AS r (connection_id uuid, uid text, installation_id uuid, design_id uuid, environment_id uuid)),
         ${LINKED}`,
        [toJsonb(owners)],
      );
  }

  private async deleteWhere(
    lease: WatchLease,
    kind: ResourceKind,
    connectionIds: string[] | null,
    condition: string,
    ...values: unknown[]
  ): Promise<ResourceChange[]> {
    const deleted = await this.unit.manager.query<(ChangedRow | { held: false })[]>(
      `WITH ${HELD}, ${TARGET},
       gone AS (
         DELETE FROM cluster_resource USING target
          WHERE cluster_resource.connection_id = target.connection_id AND api_version = $4 AND kind = $5 AND ${condition}
         RETURNING target.connection_id, target.organization_id, design_id, environment_id, applied_digest, ${OWN_DESIGN} AS is_own),
       ${notified('gone')}
       SELECT connection_id AS "connectionId", organization_id AS "organizationId", design_id AS "beforeDesign",
              environment_id AS "beforeEnvironment", applied_digest AS "beforeDigest", is_own AS "wasOwn", NULL AS held
         FROM gone WHERE (SELECT count(*) FROM notified) >= 0
       UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, false WHERE NOT EXISTS (SELECT FROM held)`,
      [lease.connectionIds, lease.worker, lease.accessDigest, kind.apiVersion, kind.kind, connectionIds, ...values],
    );
    assertHeld(deleted);
    return toChanges(deleted as ChangedRow[]);
  }
}

/** A common table expression that publishes the connections of changed rows. */
const notified = (rows: string): string => `notified AS (
  SELECT ${PostgresPubSub.publishSql(RESOURCES_TOPIC, `json_build_object('connection', connection_id)`)}
    FROM (SELECT DISTINCT connection_id FROM ${rows}) changed)`;

/** Without owner labels, a resource keeps the design of its owner as long as it has the same one. */
const ownOrInherited = (column: string): string =>
  `CASE WHEN excluded.design_id IS NULL AND NOT now.${OWN_DESIGN} AND (now.uid, now.owner_uid) = (excluded.uid, excluded.owner_uid)
     THEN now.${column} ELSE excluded.${column} END`;

/** A common table expression that gives the designs of owners to what they own, and the query of what was changed. */
const LINKED = `linked AS (
  UPDATE cluster_resource c SET installation_id = o.installation_id, design_id = o.design_id, environment_id = o.environment_id
    FROM owner o
   WHERE c.connection_id = o.connection_id AND c.owner_uid = o.uid AND NOT c.${OWN_DESIGN}
     AND c.design_id IS DISTINCT FROM o.design_id
  RETURNING c.connection_id, c.uid, c.installation_id, c.design_id, c.environment_id)
SELECT * FROM linked`;

const keyOf = (row: { connection_id: string; namespace: string; name: string }): string =>
  `${row.connection_id}\0${row.namespace}\0${row.name}`;

function assertHeld(rows: (ChangedRow | { held: false })[]): void {
  if (rows.some((row) => 'held' in row && row.held === false)) throw new WatchLeaseLost();
}

/** The rows as arrays of their columns; objects as JSON. */
function toColumns(rows: ResourceRow[]): Buffer[] {
  const toText = (value: ResourceRow[keyof ResourceRow]): string | Uint8Array | null =>
    typeof value === 'object' && !(value instanceof Uint8Array) ? toJsonb(value) : value;
  return NAMES.map((name) => encodeTextArray(rows.map((row) => toText(row[name]))));
}

/** Lists the designs and environments of the changed objects by their previous labels, without duplicates. */
function toChanges(rows: ChangedRow[]): ResourceChange[] {
  const changes = rows.flatMap(({ beforeDigest, wasOwn, beforeDesign: designId, beforeEnvironment, ...connection }) =>
    beforeDigest !== null && wasOwn && designId !== null ? [toChange(connection, designId, beforeEnvironment)] : [],
  );
  const keyOf = (one: ResourceChange): string => `${one.connectionId} ${one.designId} ${one.environmentId}`;
  return [...new Map(changes.map((change) => [keyOf(change), change])).values()];
}

const toChange = (
  { connectionId, organizationId }: Pick<ChangedRow, 'connectionId' | 'organizationId'>,
  designId: string,
  environmentId: string | null,
): ResourceChange => ({ connectionId, organizationId, designId, environmentId });
