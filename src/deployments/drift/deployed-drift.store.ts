import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { DriftMode } from '../../environments/environment.entity.js';
import type { Deployment } from '../deployment.entity.js';
import type { DeployedDesign } from '../deployed-designs.store.js';
import type { DriftStatus } from './deployed-drift.entity.js';

/** Identifies a deployed design. */
export type DriftKey = Pick<DeployedDesign, 'designId' | 'connectionId' | 'environmentId'>;

export interface KnownDrift {
  deploymentId: string;
  status: DriftStatus;
  fieldsDigest: string | null;
  stopped: boolean;
  /** The number of heals within the time window. */
  heals: number;
  /** Milliseconds since the last heal within the time window. */
  healedForMs: number | null;
}

const KEY = 'design_id = $1 AND connection_id = $2 AND environment_id = $3';
const keyOf = ({ designId, connectionId, environmentId }: DriftKey): string[] => [
  designId,
  connectionId,
  environmentId,
];

/** The results of drift comparisons, written as the system. */
@Injectable()
export class DeployedDriftStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Locks the row until the end of the transaction. @param windowMs time window in which heals are counted */
  async lock(key: DriftKey, windowMs: number): Promise<KnownDrift | null> {
    const [found] = await this.unit.manager.query<KnownDrift[]>(
      `SELECT deployment_id AS "deploymentId", status, fields_digest AS "fieldsDigest", stopped,
              (SELECT count(*)::int FROM jsonb_array_elements_text(heals) AS at WHERE at::timestamptz > now() - $4 * interval '1 millisecond') AS heals,
              (SELECT (extract(epoch FROM now() - max(at::timestamptz)) * 1000)::float8 FROM jsonb_array_elements_text(heals) AS at
                WHERE at::timestamptz > now() - $4 * interval '1 millisecond') AS "healedForMs"
         FROM deployed_drift WHERE ${KEY} FOR UPDATE`,
      [...keyOf(key), windowMs],
    );
    return found ?? null;
  }

  /** Saves a result; a new deployment resets the counters. @param found.tookMs duration of the comparison */
  async save(
    key: DriftKey,
    { organizationId, id: deploymentId }: Pick<Deployment, 'organizationId' | 'id'>,
    { status, fieldsDigest, tookMs }: { status: DriftStatus; fieldsDigest: string | null; tookMs: number },
  ): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO deployed_drift AS known
         (design_id, connection_id, environment_id, organization_id, deployment_id, status, took_ms, fields_digest, checked_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now())
       ON CONFLICT (design_id, connection_id, environment_id) DO UPDATE SET status = excluded.status, checked_at = now(),
         took_ms = excluded.took_ms, fields_digest = excluded.fields_digest, deployment_id = excluded.deployment_id, organization_id = excluded.organization_id,
         heals = CASE known.deployment_id WHEN excluded.deployment_id THEN known.heals ELSE '[]' END,
         stopped = known.stopped AND known.deployment_id = excluded.deployment_id AND excluded.status <> 'in_sync'`,
      [...keyOf(key), organizationId, deploymentId, status, Math.round(tookMs), fieldsDigest],
    );
  }

  /** What counts as drift in an environment. */
  async findMode(environmentId: string): Promise<DriftMode> {
    const [row] = await this.unit.runAsSystem('the drift mode of an environment', () =>
      this.unit.manager.query<{ drift: DriftMode }[]>('SELECT drift FROM environment WHERE id = $1', [environmentId]),
    );
    return row?.drift ?? 'fields';
  }

  /** The remaining pause of each since its last comparison, in milliseconds: `factor` times its duration, at most `mostMs`. */
  async listPauses(keys: DriftKey[], { factor, mostMs }: { factor: number; mostMs: number }): Promise<number[]> {
    if (keys.length === 0) return [];
    const pauses = await this.unit.manager.query<{ ms: number }[]>(
      `SELECT greatest(0, least(known.took_ms * $4, $5) - extract(epoch FROM now() - known.checked_at) * 1000)::float8 AS ms
         FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS key (design_id, connection_id, environment_id, index)
         LEFT JOIN deployed_drift known USING (design_id, connection_id, environment_id) ORDER BY key.index`,
      [
        keys.map(({ designId }) => designId),
        keys.map(({ connectionId }) => connectionId),
        keys.map(({ environmentId }) => environmentId),
        factor,
        mostMs,
      ],
    );
    return pauses.map(({ ms }) => ms);
  }

  /** Adds a heal, and removes those outside of the time window. */
  async addHeal(key: DriftKey, windowMs: number): Promise<void> {
    await this.unit.manager.query(
      `UPDATE deployed_drift SET heals = to_jsonb(ARRAY(
         SELECT at FROM jsonb_array_elements_text(heals) AS at
          WHERE at::timestamptz > now() - $4 * interval '1 millisecond')) || to_jsonb(now()) WHERE ${KEY}`,
      [...keyOf(key), windowMs],
    );
  }

  async stop(key: DriftKey): Promise<void> {
    await this.unit.manager.query(`UPDATE deployed_drift SET stopped = true WHERE ${KEY}`, keyOf(key));
  }

  async remove(key: DriftKey): Promise<void> {
    await this.unit.manager.query(`DELETE FROM deployed_drift WHERE ${KEY}`, keyOf(key));
  }

  /** All deployed designs for the periodic check, least recently compared first. */
  async listDue(limit: number): Promise<(DriftKey & { organizationId: string })[]> {
    return this.unit.manager.query(
      `SELECT d.design_id AS "designId", d.connection_id AS "connectionId", d.environment_id AS "environmentId",
              d.organization_id AS "organizationId"
         FROM deployed_design d LEFT JOIN deployed_drift known USING (design_id, connection_id, environment_id)
        ORDER BY known.checked_at NULLS FIRST, d.design_id LIMIT $1`,
      [limit],
    );
  }
}
