import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import { PostgresPubSub } from '../../../core/pubsub/postgres-pubsub.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { ResourceChange } from '../resource-changes.js';
import { type AppliedFields, combineApplied, digestApplied, rememberApplied } from '../applied-fields.js';
import type { ResourceRow, SeenResource } from '../resource-row.js';
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

const COLUMNS = `namespace text, name text, uid text, owner_uid text, resource_version text, labels jsonb, health text,
  health_message text, installation_id uuid, design_id uuid, environment_id uuid, applied_fields jsonb, applied_digest text, content jsonb,
  omitted text[], created_at timestamptz`;
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

/** A row before it was changed or deleted. */
interface ChangedRow {
  connectionId: string;
  organizationId: string;
  beforeDigest: string | null;
  beforeDesign: string | null;
  beforeEnvironment: string | null;
  wasOwn: boolean | null;
}

interface WrittenRow extends ChangedRow {
  uid: string;
  designId: string | null;
  appliedDigest: string | null;
  ownerUid: string | null;
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
    const given = `SELECT * FROM jsonb_to_recordset($7::jsonb) AS r (${COLUMNS})`;
    const owners = rows.flatMap(({ owner_uid, design_id }) => (design_id === null ? (owner_uid ?? []) : []));
    return this.write(lease, kind, place?.connectionIds ?? null, given, toBatch(rows), [...new Set(owners)]);
  }

  /** @throws WatchLeaseLost */
  async delete(
    lease: WatchLease,
    kind: ResourceKind,
    objects: { namespace: string; name: string }[],
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

  /** Deletes resources that were missing in a list of the kind, or of one namespace. @throws WatchLeaseLost */
  sweep(
    lease: WatchLease,
    kind: ResourceKind,
    listed: ReadonlySet<string>,
    place?: WatchedPlace,
  ): Promise<ResourceChange[]> {
    return this.deleteWhere(
      lease,
      kind,
      place?.connectionIds ?? null,
      `uid NOT IN (SELECT unnest($7::text[])) AND ($8::text IS NULL OR namespace = $8)`,
      [...listed],
      place?.namespace ?? null,
    );
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
      return [...deleted, ...(await this.write(lease, kind, [to], source, from))];
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
      `SELECT uid, applied_fields AS applied FROM cluster_resource
        WHERE connection_id = ANY ($1) AND uid = ANY ($2::text[]) AND api_version = $3 AND kind = $4 AND applied_fields IS NOT NULL`,
      [lease.connectionIds, applied.map(({ row }) => row.uid), kind.apiVersion, kind.kind],
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
   * @param given SQL of the rows, from `value` as $7
   * @param ownerUids of the rows that have the design of their owner
   */
  private async write(
    lease: WatchLease,
    kind: ResourceKind,
    connectionIds: string[] | null,
    given: string,
    value: string,
    ownerUids: string[] = [],
  ): Promise<ResourceChange[]> {
    const written = await this.unit.manager.query<(WrittenRow | { held: false })[]>(
      `WITH ${HELD}, ${TARGET}, given AS (${given}),
       owner AS MATERIALIZED (
         SELECT DISTINCT ON (connection_id, uid) connection_id, uid, installation_id, design_id, environment_id FROM cluster_resource
          WHERE connection_id = ANY ($1) AND uid = ANY ($8::text[]) AND design_id IS NOT NULL),
       before AS (
         SELECT c.connection_id, c.namespace, c.name, c.applied_digest, c.design_id, c.environment_id, c.${OWN_DESIGN} AS is_own
           FROM target CROSS JOIN given JOIN cluster_resource c ON c.connection_id = target.connection_id
            AND c.api_version = $4 AND c.kind = $5 AND given.namespace = c.namespace AND given.name = c.name),
       written AS (
         INSERT INTO cluster_resource AS now
           (id, organization_id, connection_id, api_version, kind, namespace, name, uid, owner_uid, resource_version, labels, health,
            health_message, installation_id, design_id, environment_id, applied_fields, applied_digest, content, omitted, created_at, updated_at)
         SELECT gen_random_uuid(), target.organization_id, target.connection_id, $4, $5, given.namespace, given.name, given.uid,
                given.owner_uid, given.resource_version, given.labels, given.health, given.health_message,
                coalesce(given.installation_id, owner.installation_id), coalesce(given.design_id, owner.design_id),
                coalesce(given.environment_id, owner.environment_id), given.applied_fields, given.applied_digest, given.content,
                given.omitted, given.created_at, now()
           FROM given CROSS JOIN target LEFT JOIN owner
             ON given.design_id IS NULL AND owner.uid = given.owner_uid AND owner.connection_id = target.connection_id
         ON CONFLICT (connection_id, kind, namespace, name, api_version) DO UPDATE SET
           uid = excluded.uid, owner_uid = excluded.owner_uid, resource_version = excluded.resource_version,
           labels = excluded.labels, health = excluded.health, health_message = excluded.health_message,
           installation_id = excluded.installation_id, design_id = excluded.design_id, environment_id = excluded.environment_id,
           applied_fields = excluded.applied_fields, applied_digest = excluded.applied_digest, content = excluded.content, omitted = excluded.omitted,
           created_at = excluded.created_at, updated_at = excluded.updated_at
         WHERE (now.resource_version, now.uid, now.health, now.health_message)
               IS DISTINCT FROM (excluded.resource_version, excluded.uid, excluded.health, excluded.health_message)
         RETURNING now.connection_id, now.organization_id, now.uid, now.namespace, now.name, now.owner_uid, now.design_id, now.applied_digest),
       ${notified('written')}
       SELECT written.connection_id AS "connectionId", written.organization_id AS "organizationId", written.uid,
              written.design_id AS "designId", written.applied_digest AS "appliedDigest", before.applied_digest AS "beforeDigest",
              before.design_id AS "beforeDesign", before.environment_id AS "beforeEnvironment", before.is_own AS "wasOwn",
              written.owner_uid AS "ownerUid", NULL AS held
         FROM written LEFT JOIN before ON before.connection_id = written.connection_id AND before.namespace = written.namespace
          AND before.name = written.name
        WHERE (SELECT count(*) FROM notified) >= 0
       UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false WHERE NOT EXISTS (SELECT FROM held)`,
      [
        lease.connectionIds,
        lease.worker,
        lease.accessDigest,
        kind.apiVersion,
        kind.kind,
        connectionIds,
        value,
        ownerUids,
      ],
    );
    assertHeld(written);
    const changed = written as WrittenRow[];
    const moved = changed.filter(({ designId, beforeDesign }) => designId !== beforeDesign);
    // An owner of another kind may have been written concurrently, so that neither statement saw the other's
    // rows.
    const unlinked = changed.flatMap(({ ownerUid, designId }) => (designId === null ? (ownerUid ?? []) : []));
    await this.linkToOwners(connectionIds ?? lease.connectionIds, {
      moved: moved.map(({ uid }) => uid),
      owners: [...new Set(unlinked)],
    });
    return toChanges(changed.filter(({ beforeDigest, appliedDigest }) => beforeDigest !== appliedDigest));
  }

  /**
   * Sets the design of resources without owner labels to that of their owners, which may have been written later.
   * @param uids.moved resources whose design has changed
   * @param uids.owners resources of which others were written that have no design
   */
  private async linkToOwners(connectionIds: string[], uids: { moved: string[]; owners: string[] }): Promise<void> {
    let { moved, owners } = uids;
    for (let step = 0; step < MAX_CHAIN && moved.length + owners.length > 0; step++) {
      const linked = await this.unit.manager.query<{ uid: string }[]>(
        `WITH owner AS MATERIALIZED (
           SELECT connection_id, uid, installation_id, design_id, environment_id FROM cluster_resource
            WHERE connection_id = ANY ($1) AND uid = ANY ($2::text[] || $3::text[])
              AND (design_id IS NOT NULL OR uid = ANY ($2))),
         linked AS (
           UPDATE cluster_resource c SET installation_id = o.installation_id, design_id = o.design_id,
             environment_id = o.environment_id
             FROM owner o
            WHERE c.connection_id = o.connection_id AND c.owner_uid = o.uid
              AND NOT c.${OWN_DESIGN} AND c.design_id IS DISTINCT FROM o.design_id RETURNING c.uid)
         SELECT DISTINCT uid FROM linked`,
        [connectionIds, moved, owners],
      );
      [moved, owners] = [linked.map(({ uid }) => uid), []];
    }
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

function assertHeld(rows: (ChangedRow | { held: false })[]): void {
  if (rows.some((row) => 'held' in row && row.held === false)) throw new WatchLeaseLost();
}

/** Serializes rows as a JSON array; their contents are already JSON. */
function toBatch(rows: ResourceRow[]): string {
  const items = rows.map(({ content, ...row }) => `${(toJsonb(row) ?? '{}').slice(0, -1)},"content":${content}}`);
  return `[${items.join(',')}]`;
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
