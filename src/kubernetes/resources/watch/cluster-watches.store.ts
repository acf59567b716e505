import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import type { MissingKind, Resync, WatchStatus } from './cluster-watch.entity.js';
import { HAS_PRESENT_CREDENTIAL, type WatchLease } from './watched-resources.store.js';

/** A connection whose watch this process holds. */
export interface WatchedConnection {
  connectionId: string;
  /** Connections with the same digest share one watch. */
  accessDigest: string;
  /** The default namespace. */
  namespace: string | null;
  /** The revision at which it became disconnected; null when it is connected. */
  unreached: number | null;
  resync: Resync | null;
  clusterUid: string | null;
  /** Whether everything was listed with the present access, so that nothing stored is what an earlier one was shown. */
  isSynced: boolean;
  /** Whether its lease has just been claimed: what is stored may have been written by another watch meanwhile. */
  isClaimed: boolean;
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
const CONNECTED = `w.connection_id AS "connectionId", w.access_digest AS "accessDigest", connection.metadata ->> 'namespace' AS namespace,
  CASE WHEN connection.status = 'disconnected' THEN connection.revision END AS unreached, w.cluster_uid AS "clusterUid",
  w.synced_at IS NOT NULL AS "isSynced"`;
/** Changes with the address and the credential of a connection. */
const ACCESS = `concat_ws('.', connection.revision, connection.credential_id, credential.revision)`;
/** A revision without the id of the key, which comes first in it. */
const withoutKey = (revision: string): string => `substr(${revision}, strpos(${revision}, '.') + 1)`;
/** Whether a digest ($3) is that of another access, whose revision ($2) is null while the credential cannot be opened. */
const IS_ANOTHER_ACCESS = `($2::text IS NOT NULL AND coalesce(access_digest, $3) <> $3
  AND ${withoutKey('access_revision')} IS DISTINCT FROM ${withoutKey('$2')})`;
const HELD = `connection_id = $1 AND worker = $2 AND access_digest = $3 AND ${HAS_PRESENT_CREDENTIAL}`;
const isFree = (row: string): string => `(${row}.worker IS NULL OR ${row}.lease_until < now())`;
/** Whether another process holds the watch of connections with the same digest. @param rows where they are */
const isTaken = (row: string, rows: string): string =>
  `EXISTS (SELECT FROM ${rows} o WHERE o.access_digest = ${row}.access_digest AND o.worker <> $1 AND o.lease_until >= now())`;

/**
 * Assigns watches of clusters to processes by leases: all connections with the same access digest to one process. Locks are
 * acquired in the order of connections. Queries run as the system.
 */
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

  /**
   * Finds connections whose address or credential has changed since their digest was computed, or whose digest is of another key, unless
   * a process that has this key still holds them: new ones first, then those with another credential, failed ones last, each by age.
   */
  findChangedAccess(limit: number, keyId: string): Promise<{ connectionId: string; revision: string }[]> {
    return this.unit.manager.query(
      `SELECT w.connection_id AS "connectionId", $2 || '.' || ${ACCESS} AS revision
         FROM cluster_watch w JOIN connection ON connection.id = w.connection_id
         LEFT JOIN credential ON credential.id = connection.credential_id
        WHERE ${WATCHED} AND w.access_revision IS DISTINCT FROM $2 || '.' || ${ACCESS}
          AND (${isFree('w')} OR ${withoutKey('w.access_revision')} IS DISTINCT FROM ${ACCESS})
        ORDER BY w.access_digest IS NULL DESC, ${HAS_PRESENT_CREDENTIAL}, w.access_revision IS NULL, connection.updated_at LIMIT $1`,
      [limit, keyId],
    );
  }

  /**
   * Stores the access digest of a connection. With a different one than before it loses its holder; with another access, not only another
   * key of digests, nothing counts as listed.
   * @param revision of the connection; null when the digest has to be computed again
   */
  async saveAccess(connectionId: string, revision: string | null, digest: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE cluster_watch SET access_digest = $3, access_revision = $2,
         worker = CASE WHEN coalesce(access_digest, $3) = $3 THEN worker END,
         synced_at = CASE WHEN NOT ${IS_ANOTHER_ACCESS} THEN synced_at END,
         stale_since = CASE WHEN NOT ${IS_ANOTHER_ACCESS} THEN stale_since END
        WHERE connection_id = $1`,
      [connectionId, revision, digest],
    );
  }

  /** Removes the holder of a watch, after the writes in progress. */
  async revoke(connectionId: string): Promise<void> {
    await this.unit.manager.query(
      `WITH locked AS (SELECT connection_id FROM cluster_watch WHERE connection_id = $1 FOR UPDATE)
       UPDATE cluster_watch w SET worker = NULL FROM locked WHERE w.connection_id = locked.connection_id`,
      [connectionId],
    );
  }

  /** Deletes a watch, unless its cluster was connected again meanwhile. */
  async remove(connectionId: string): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM cluster_watch w USING connection WHERE connection.id = w.connection_id AND w.connection_id = $1 AND NOT (${WATCHED})`,
      [connectionId],
    );
  }

  /**
   * Claims connections without a holder or with an expired lease, by digests of a key that no other process holds.
   * @param limit of digests
   * @returns the ids of the connections
   */
  async claim(worker: string, limit: number, leaseMs: number, keyId: string): Promise<string[]> {
    const claimed = await this.unit.manager.query<{ id: string }[]>(
      `WITH wanted AS (
         SELECT DISTINCT w.access_digest FROM cluster_watch w JOIN connection ON connection.id = w.connection_id
          WHERE ${isFree('w')} AND ${WATCHED} AND w.access_digest IS NOT NULL AND NOT ${isTaken('w', 'cluster_watch')}
            AND (w.access_revision IS NULL OR starts_with(w.access_revision, $4 || '.'))
          ORDER BY 1 LIMIT $2),
       locked AS (
         SELECT * FROM cluster_watch w WHERE access_digest IN (SELECT access_digest FROM wanted) ORDER BY connection_id FOR UPDATE),
       taken AS (
         UPDATE cluster_watch w SET worker = $1, lease_until = now() + $3 * interval '1 millisecond', status = 'starting', error = NULL,
            stale_since = CASE WHEN w.synced_at IS NULL THEN w.stale_since ELSE coalesce(w.stale_since, w.lease_until, now()) END
           FROM locked
          WHERE w.connection_id = locked.connection_id AND ${isFree('locked')} AND NOT ${isTaken('locked', 'locked')}
          RETURNING w.connection_id AS id)
       SELECT id FROM taken`,
      [worker, limit, leaseMs, keyId],
    );
    return claimed.map(({ id }) => id);
  }

  /** Lists the connections that a process holds, with requested resyncs, each of which is listed once. */
  async listHeld(worker: string): Promise<Omit<WatchedConnection, 'isClaimed'>[]> {
    return this.unit.manager.query(
      `WITH held AS (
         SELECT * FROM cluster_watch WHERE worker = $1 ORDER BY connection_id FOR NO KEY UPDATE),
       requested AS (
         UPDATE cluster_watch w SET resync = NULL FROM held WHERE w.connection_id = held.connection_id AND held.resync IS NOT NULL)
       SELECT ${CONNECTED}, w.resync FROM held w JOIN connection ON connection.id = w.connection_id WHERE ${WATCHED}`,
      [worker],
    );
  }

  /** Releases the watches to other processes. */
  async release(worker: string): Promise<void> {
    await this.unit.manager.query('UPDATE cluster_watch SET worker = NULL, lease_until = now() WHERE worker = $1', [
      worker,
    ]);
  }

  /** Stores the state of a connection's watch while its lease is held. */
  async saveState(connectionId: string, { worker, accessDigest }: WatchLease, state: WatchState): Promise<void> {
    await this.unit.manager.query(
      `UPDATE cluster_watch SET status = $4, error = $5, kinds = $6, missing = $7, updated_at = now(),
         synced_at = CASE WHEN $8 THEN coalesce(synced_at, now()) ELSE synced_at END,
         stale_since = CASE WHEN $8 OR synced_at IS NULL THEN NULL WHEN $4 = 'failing' THEN coalesce(stale_since, now()) ELSE stale_since END
        WHERE ${HELD}`,
      [
        ...[connectionId, worker, accessDigest, state.status, state.error, state.kinds, toJsonb(state.missing)],
        state.isSynced,
      ],
    );
  }

  /** Resets the state of a connection's watch before the stored objects are deleted. @returns whether it is held */
  async reset(connectionId: string, { worker, accessDigest }: WatchLease): Promise<boolean> {
    const reset = await this.unit.manager.query<unknown[]>(
      `WITH reset AS (UPDATE cluster_watch SET synced_at = NULL, stale_since = NULL WHERE ${HELD} RETURNING 1) SELECT FROM reset`,
      [connectionId, worker, accessDigest],
    );
    return reset.length > 0;
  }

  async saveClusterUid(connectionId: string, { worker, accessDigest }: WatchLease, uid: string): Promise<void> {
    await this.unit.manager.query(`UPDATE cluster_watch SET cluster_uid = $4 WHERE ${HELD}`, [
      connectionId,
      worker,
      accessDigest,
      uid,
    ]);
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
