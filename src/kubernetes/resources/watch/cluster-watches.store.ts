import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import type { MissingKind, Resync, WatchStatus } from './cluster-watch.entity.js';
import type { WatchLease } from './watched-resources.store.js';

/** A watch that this process holds. */
export interface HeldWatch {
  connectionId: string;
  organizationId: string;
  /** Changes with the address and the credential of the connection. */
  revision: string;
  resync: Resync | null;
  clusterUid: string | null;
}

/** The state of a watch, visible to users who may see the connection. */
export interface WatchState {
  status: WatchStatus;
  error: string | null;
  kinds: number;
  missing: MissingKind[];
  isSynced: boolean;
}

/** A temporarily unreachable cluster stays watched, and its stored objects remain. */
const WATCHED = `connection.kind = 'kubernetes' AND connection.status IN ('connected', 'disconnected') AND connection.deleted_at IS NULL`;
const HELD = `w.connection_id AS "connectionId", w.organization_id AS "organizationId", w.resync, w.cluster_uid AS "clusterUid",
  concat_ws('.', connection.revision, connection.credential_id, credential.revision) AS revision`;
const JOINED = `JOIN connection ON connection.id = w.connection_id LEFT JOIN credential ON credential.id = connection.credential_id`;

/** Assigns watches of clusters to processes by leases. Queries run as the system. */
@Injectable()
export class ClusterWatchesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Creates a watch for each connected cluster. @returns the connections whose watch has to end */
  async reconcile(): Promise<string[]> {
    await this.unit.manager.query(
      `INSERT INTO cluster_watch (connection_id, organization_id)
       SELECT id, organization_id FROM connection WHERE ${WATCHED} AND status = 'connected' ON CONFLICT DO NOTHING`,
    );
    const ended = await this.unit.manager.query<{ id: string }[]>(
      `SELECT w.connection_id AS id FROM cluster_watch w JOIN connection ON connection.id = w.connection_id
        WHERE NOT (${WATCHED}) LIMIT 100`,
    );
    return ended.map(({ id }) => id);
  }

  /** Removes the holder of a watch, which can then no longer write. */
  async revoke(connectionId: string): Promise<void> {
    await this.unit.manager.query('UPDATE cluster_watch SET worker = NULL WHERE connection_id = $1', [connectionId]);
  }

  /** Deletes a watch, unless its cluster was connected again meanwhile. */
  async remove(connectionId: string): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM cluster_watch w USING connection WHERE connection.id = w.connection_id AND w.connection_id = $1 AND NOT (${WATCHED})`,
      [connectionId],
    );
  }

  /** Claims watches without a holder or with an expired lease. */
  async claim(worker: string, limit: number, leaseMs: number): Promise<HeldWatch[]> {
    return this.unit.manager.query(
      `WITH free AS (
         SELECT w.connection_id FROM cluster_watch w JOIN connection ON connection.id = w.connection_id
          WHERE (w.worker IS NULL OR w.lease_until < now()) AND ${WATCHED}
          ORDER BY w.connection_id LIMIT $2 FOR UPDATE OF w SKIP LOCKED),
       taken AS (
         UPDATE cluster_watch SET worker = $1, lease_until = now() + $3 * interval '1 millisecond', status = 'starting', error = NULL,
            stale_since = CASE WHEN synced_at IS NULL THEN stale_since ELSE coalesce(stale_since, lease_until, now()) END
          WHERE connection_id IN (SELECT connection_id FROM free) RETURNING *)
       SELECT ${HELD} FROM taken w ${JOINED}`,
      [worker, limit, leaseMs],
    );
  }

  /** Renews the leases. @returns the watches that are still held, with requested resyncs */
  async renew(worker: string, ids: string[], leaseMs: number): Promise<HeldWatch[]> {
    return this.unit.manager.query(
      `WITH asked AS (SELECT connection_id, resync FROM cluster_watch WHERE worker = $1 AND connection_id = ANY ($2) FOR UPDATE),
       renewed AS (
         UPDATE cluster_watch SET lease_until = now() + $3 * interval '1 millisecond', resync = NULL
          WHERE connection_id IN (SELECT connection_id FROM asked) RETURNING *)
       SELECT ${HELD.replace('w.resync', 'asked.resync')} FROM renewed w ${JOINED} JOIN asked ON asked.connection_id = w.connection_id
        WHERE ${WATCHED}`,
      [worker, ids, leaseMs],
    );
  }

  /** Releases the watches to other processes. */
  async release(worker: string): Promise<void> {
    await this.unit.manager.query('UPDATE cluster_watch SET worker = NULL, lease_until = now() WHERE worker = $1', [
      worker,
    ]);
  }

  /** Stores the state of a watch while its lease is held. */
  async saveState({ connectionId, worker }: WatchLease, state: WatchState): Promise<void> {
    await this.unit.manager.query(
      `UPDATE cluster_watch SET status = $3, error = $4, kinds = $5, missing = $6, updated_at = now(),
         synced_at = CASE WHEN $7 THEN coalesce(synced_at, now()) ELSE synced_at END,
         stale_since = CASE WHEN $7 OR synced_at IS NULL THEN NULL WHEN $3 = 'failing' THEN coalesce(stale_since, now()) ELSE stale_since END
        WHERE connection_id = $1 AND worker = $2`,
      [connectionId, worker, state.status, state.error, state.kinds, toJsonb(state.missing), state.isSynced],
    );
  }

  /** Resets the state of a watch after the stored objects were deleted. */
  async reset({ connectionId, worker }: WatchLease): Promise<void> {
    await this.unit.manager.query(
      'UPDATE cluster_watch SET synced_at = NULL, stale_since = NULL WHERE connection_id = $1 AND worker = $2',
      [connectionId, worker],
    );
  }

  async saveClusterUid({ connectionId, worker }: WatchLease, uid: string): Promise<void> {
    await this.unit.manager.query(
      'UPDATE cluster_watch SET cluster_uid = $3 WHERE connection_id = $1 AND worker = $2',
      [connectionId, worker, uid],
    );
  }

  /** Requests a resync from the replica that watches the cluster. @returns false when it is not watched */
  async requestResync(connectionId: string, resync: Resync): Promise<boolean> {
    const asked = await this.unit.manager.query<unknown[]>(
      `WITH asked AS (UPDATE cluster_watch SET resync = $2 WHERE connection_id = $1 RETURNING 1) SELECT FROM asked`,
      [connectionId, resync],
    );
    return asked.length > 0;
  }
}
