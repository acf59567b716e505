import { Injectable } from '@nestjs/common';
import { newId } from '../../../core/database/base.entity.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import { PostgresPubSub } from '../../../core/pubsub/postgres-pubsub.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { ResourceChange } from '../resource-changes.js';
import { type AppliedFields, combineApplied, digestApplied, rememberApplied } from '../applied-fields.js';
import type { ResourceRow, SeenResource } from '../resource-row.js';

/** The topic of changed resources; messages contain the connection, at most a few a second. */
export const RESOURCES_TOPIC = 'cluster_resources';

export interface ResourcesMessage {
  connection: string;
}

/** The lease of a cluster's watch. Without a valid lease, writes have no effect. */
export interface WatchLease {
  connectionId: string;
  organizationId: string;
  worker: string;
}

/** The lease was taken over, or the connection is no longer watched. */
export class WatchLeaseLost extends Error {}

/** The maximum length of a chain of owners, such as Deployment, ReplicaSet, Pod. */
const MAX_CHAIN = 5;
const DELETED_AT_ONCE = 5_000;

const COLUMNS = `id uuid, namespace text, name text, uid text, owner_uid text, resource_version text, labels jsonb, health text,
  health_message text, installation_id uuid, design_id uuid, environment_id uuid, applied_fields jsonb, applied_digest text, content jsonb,
  omitted text[], created_at timestamptz`;
const HELD = `SELECT organization_id FROM cluster_watch WHERE connection_id = $1 AND worker = $2`;
const OF_KIND = `connection_id = $1 AND api_version = $3 AND kind = $4`;
const OWN_DESIGN = `labels ? 'armature.dev/design'`;

/** A row before it was changed or deleted. */
interface ChangedRow {
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

  /** @throws WatchLeaseLost */
  async upsert(lease: WatchLease, kind: ResourceKind, seen: SeenResource[]): Promise<ResourceChange[]> {
    if (seen.length === 0) return [];
    const { manager } = this.unit;
    const rows = await this.compareApplied(lease, kind, seen);
    const written = await manager.query<(WrittenRow | { held: false })[]>(
      `WITH held AS (${HELD}),
       given AS (SELECT * FROM jsonb_to_recordset($5::jsonb) AS r (${COLUMNS})),
       before AS (
         SELECT c.namespace, c.name, c.applied_digest, c.design_id, c.environment_id, c.${OWN_DESIGN} AS is_own FROM cluster_resource c
           JOIN given ON given.namespace = c.namespace AND given.name = c.name
          WHERE c.${OF_KIND}),
       written AS (
         INSERT INTO cluster_resource AS now
           (id, organization_id, connection_id, api_version, kind, namespace, name, uid, owner_uid, resource_version, labels, health,
            health_message, installation_id, design_id, environment_id, applied_fields, applied_digest, content, omitted, created_at, updated_at)
         SELECT given.id, held.organization_id, $1, $3, $4, given.namespace, given.name, uid, owner_uid, resource_version, labels,
                health, health_message, coalesce(given.installation_id, owner.installation_id),
                coalesce(given.design_id, owner.design_id), coalesce(given.environment_id, owner.environment_id), applied_fields, applied_digest,
                content, omitted, created_at, now()
           FROM given CROSS JOIN held LEFT JOIN LATERAL (
             SELECT o.installation_id, o.design_id, o.environment_id FROM cluster_resource o
              WHERE o.connection_id = $1 AND o.uid = given.owner_uid LIMIT 1) owner ON given.design_id IS NULL
         ON CONFLICT (connection_id, kind, namespace, name, api_version) DO UPDATE SET
           uid = excluded.uid, owner_uid = excluded.owner_uid, resource_version = excluded.resource_version,
           labels = excluded.labels, health = excluded.health, health_message = excluded.health_message,
           installation_id = excluded.installation_id, design_id = excluded.design_id, environment_id = excluded.environment_id,
           applied_fields = excluded.applied_fields, applied_digest = excluded.applied_digest, content = excluded.content, omitted = excluded.omitted,
           created_at = excluded.created_at, updated_at = excluded.updated_at
         WHERE (now.resource_version, now.uid, now.health, now.health_message)
               IS DISTINCT FROM (excluded.resource_version, excluded.uid, excluded.health, excluded.health_message)
         RETURNING now.uid, now.namespace, now.name, now.owner_uid, now.design_id, now.applied_digest),
       notified AS (SELECT ${publishChange()} FROM held WHERE EXISTS (SELECT FROM written))
       SELECT written.uid, written.design_id AS "designId",
              written.applied_digest AS "appliedDigest", before.applied_digest AS "beforeDigest",
              before.design_id AS "beforeDesign", before.environment_id AS "beforeEnvironment", before.is_own AS "wasOwn", written.owner_uid AS "ownerUid", NULL AS held
         FROM written LEFT JOIN before ON before.namespace = written.namespace AND before.name = written.name
        WHERE (SELECT count(*) FROM notified) >= 0
       UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false WHERE NOT EXISTS (SELECT FROM held)`,
      [lease.connectionId, lease.worker, kind.apiVersion, kind.kind, toBatch(rows)],
    );
    assertHeld(written);
    const changed = written as WrittenRow[];
    const moved = changed.filter(({ designId, beforeDesign }) => designId !== beforeDesign);
    // An owner of another kind may have been written concurrently, so that neither statement saw the other's
    // rows.
    const unlinked = changed.filter(({ ownerUid, designId }) => ownerUid !== null && designId === null);
    await this.linkToOwners(lease.connectionId, [
      ...moved.map(({ uid }) => uid),
      ...unlinked.flatMap(({ ownerUid }) => ownerUid ?? []),
    ]);
    return toChanges(
      lease,
      changed.filter(({ beforeDigest, appliedDigest }) => beforeDigest !== appliedDigest),
    );
  }

  /** Compares the objects with the stored applied fields, and adds those to the rows. */
  private async compareApplied(lease: WatchLease, kind: ResourceKind, seen: SeenResource[]): Promise<ResourceRow[]> {
    const applied = seen.filter((one) => one.applied !== null);
    if (applied.length === 0) return seen.map(({ row }) => row);
    const found = await this.unit.manager.query<{ uid: string; applied: AppliedFields }[]>(
      `SELECT uid, applied_fields AS applied FROM cluster_resource
        WHERE connection_id = $1 AND uid = ANY ($2::text[]) AND api_version = $3 AND kind = $4 AND applied_fields IS NOT NULL`,
      [lease.connectionId, applied.map(({ row }) => row.uid), kind.apiVersion, kind.kind],
    );
    const known = new Map(found.map((one) => [one.uid, one.applied]));
    return seen.map(({ row, applied: object, appliedBefore }) => {
      const fields = object && rememberApplied(object, combineApplied(known.get(row.uid) ?? null, appliedBefore));
      return fields
        ? { ...row, applied_fields: fields, applied_digest: digestApplied(kind.kind, object, fields) }
        : row;
    });
  }

  /** @throws WatchLeaseLost */
  async delete(
    lease: WatchLease,
    kind: ResourceKind,
    objects: { namespace: string; name: string }[],
  ): Promise<ResourceChange[]> {
    if (objects.length === 0) return [];
    return this.deleteWhere(
      lease,
      kind,
      `(namespace, name) IN (SELECT namespace, name FROM jsonb_to_recordset($5::jsonb) AS r (namespace text, name text))`,
      toJsonb(objects),
    );
  }

  /** Deletes resources that were missing in a list of the kind, or of one namespace. @throws WatchLeaseLost */
  sweep(
    lease: WatchLease,
    kind: ResourceKind,
    listed: ReadonlySet<string>,
    namespace?: string,
  ): Promise<ResourceChange[]> {
    return this.deleteWhere(
      lease,
      kind,
      `uid NOT IN (SELECT unnest($5::text[])) AND ($6::text IS NULL OR namespace = $6)`,
      [...listed],
      namespace ?? null,
    );
  }

  /** Deletes the resources of a kind in other namespaces. @throws WatchLeaseLost */
  deleteOutside(lease: WatchLease, kind: ResourceKind, namespaces: string[]): Promise<ResourceChange[]> {
    return this.deleteWhere(lease, kind, `namespace <> ALL ($5::text[])`, namespaces);
  }

  /**
   * Deletes resources of kinds that the cluster no longer serves.
   * @param kinds the served kinds as `apiVersion kind`
   */
  async deleteOtherKinds(lease: WatchLease, kinds: string[], apiVersions: string[]): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM cluster_resource WHERE connection_id = $1 AND EXISTS (${HELD}) AND api_version || ' ' || kind <> ALL ($3::text[])
          AND api_version <> ALL ($4::text[])`,
      [lease.connectionId, lease.worker, kinds, apiVersions],
    );
  }

  /** Deletes all resources of a cluster in batches. */
  async deleteAll(connectionId: string): Promise<void> {
    for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE;) {
      const [row] = await this.unit.manager.query<{ count: number }[]>(
        `WITH gone AS (DELETE FROM cluster_resource WHERE id IN (
           SELECT id FROM cluster_resource WHERE connection_id = $1 LIMIT ${DELETED_AT_ONCE}) RETURNING 1),
         notified AS (SELECT ${publishChange()} WHERE EXISTS (SELECT FROM gone))
         SELECT (count(*) + 0 * (SELECT count(*) FROM notified))::int AS count FROM gone`,
        [connectionId],
      );
      deleted = row?.count ?? 0;
    }
  }

  /** Counts the resources of a cluster. */
  async count(connectionId: string): Promise<number> {
    const [row] = await this.unit.manager.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM cluster_resource WHERE connection_id = $1`,
      [connectionId],
    );
    return row?.count ?? 0;
  }

  /** Sets the design of resources without owner labels to that of their owners, which may have been written later. */
  private async linkToOwners(connectionId: string, uids: string[]): Promise<void> {
    for (let step = 0; step < MAX_CHAIN && uids.length > 0; step++) {
      const linked = await this.unit.manager.query<{ uid: string }[]>(
        `WITH linked AS (
           UPDATE cluster_resource c SET installation_id = o.installation_id, design_id = o.design_id,
             environment_id = o.environment_id
             FROM cluster_resource o
            WHERE c.connection_id = $1 AND o.connection_id = $1 AND o.uid = ANY ($2::text[]) AND c.owner_uid = o.uid
              AND NOT c.${OWN_DESIGN} AND c.design_id IS DISTINCT FROM o.design_id RETURNING c.uid)
         SELECT uid FROM linked`,
        [connectionId, uids],
      );
      uids = linked.map(({ uid }) => uid);
    }
  }

  private async deleteWhere(
    lease: WatchLease,
    kind: ResourceKind,
    condition: string,
    ...values: unknown[]
  ): Promise<ResourceChange[]> {
    const deleted = await this.unit.manager.query<(ChangedRow | { held: false })[]>(
      `WITH held AS (${HELD}),
       gone AS (
         DELETE FROM cluster_resource WHERE ${OF_KIND} AND EXISTS (SELECT FROM held) AND ${condition}
         RETURNING design_id, environment_id, applied_digest, ${OWN_DESIGN} AS is_own),
       notified AS (SELECT ${publishChange()} FROM held WHERE EXISTS (SELECT FROM gone))
       SELECT design_id AS "beforeDesign", environment_id AS "beforeEnvironment",
              applied_digest AS "beforeDigest", is_own AS "wasOwn", NULL AS held FROM gone WHERE (SELECT count(*) FROM notified) >= 0
       UNION ALL SELECT NULL, NULL, NULL, NULL, false WHERE NOT EXISTS (SELECT FROM held)`,
      [lease.connectionId, lease.worker, kind.apiVersion, kind.kind, ...values],
    );
    assertHeld(deleted);
    return toChanges(lease, deleted as ChangedRow[]);
  }
}

/** `$1` is the id of the connection. */
const publishChange = (): string =>
  PostgresPubSub.publishSql(RESOURCES_TOPIC, `json_build_object('connection', $1::uuid)`);

function assertHeld(rows: (ChangedRow | { held: false })[]): void {
  if (rows.some((row) => 'held' in row && row.held === false)) throw new WatchLeaseLost();
}

/** Serializes rows as a JSON array; their contents are already JSON. */
function toBatch(rows: ResourceRow[]): string {
  const items = rows.map(({ content, ...row }) => {
    const fields = toJsonb({ id: newId(), ...row }) ?? '{}';
    return `${fields.slice(0, -1)},"content":${content}}`;
  });
  return `[${items.join(',')}]`;
}

/** Lists the designs and environments of the changed objects by their previous labels, without duplicates. */
function toChanges({ connectionId, organizationId }: WatchLease, rows: ChangedRow[]): ResourceChange[] {
  const changes = rows.flatMap(({ beforeDigest, wasOwn, beforeDesign: designId, beforeEnvironment: environmentId }) =>
    beforeDigest !== null && wasOwn && designId !== null
      ? [{ connectionId, organizationId, designId, environmentId }]
      : [],
  );
  return [...new Map(changes.map((change) => [`${change.designId} ${change.environmentId}`, change])).values()];
}
