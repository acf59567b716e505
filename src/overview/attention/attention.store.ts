import { Injectable } from '@nestjs/common';
import { administeredSql, visibleSql } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { roleRank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { AttentionItem, AttentionKind, SubjectType } from './attention-kinds.js';

/** The maximum number of items of one kind, the latest first. */
const MAX_OF_KIND = 500;
const MAX_REASON = 500;

interface Row {
  id: string;
  name: string;
  since: Date;
  workspace_id: string | null;
  environment_id: string | null;
  reason: string;
}

const ofWorkspaces = (alias: string, least = ''): string =>
  `(${administeredSql(alias, '$1')} OR ${alias}.workspace_id IN (SELECT granted_resources($1, 'workspace'${least})))`;
const asAdmin = `, ${roleRank('admin')}`;
const inOrganization = (alias: string): string => `($2::uuid IS NULL OR ${alias}.organization_id = $2)`;
/** When an event of a kind was last published about a record. */
const lastEvent = (subject: string, category: string, action: string): string =>
  `(SELECT max(e.created_at) FROM event e WHERE e.acted_upon = ${subject} AND e.category = '${category}' AND e.action = '${action}')`;

/** The last attempt at a design in an environment has failed. Requests that were withdrawn or wait are no attempts. */
const FAILED = `
  SELECT d.id, d.name, d.finished_at AS since, d.workspace_id, d.environment_id,
         left(coalesce(d.failure->>'detail', 'the deployment failed'), ${MAX_REASON}) AS reason
    FROM deployment d JOIN design ON design.id = d.design_id AND design.deleted_at IS NULL
   WHERE d.status IN ('failed', 'rolled_back') AND d.deleted_at IS NULL AND ${ofWorkspaces('d')} AND ${inOrganization('d')}
     AND NOT EXISTS (SELECT FROM deployment later WHERE later.design_id = d.design_id AND later.environment_id = d.environment_id
       AND (later.created_at, later.id) > (d.created_at, d.id) AND later.status NOT IN ('cancelled', 'pending_approval'))`;

const DEGRADED = `
  SELECT d.id, d.name, min(r.updated_at) AS since, d.workspace_id, d.environment_id,
         min(r.kind || ' ' || r.name) || ' is degraded' || CASE WHEN count(*) > 1 THEN ', and ' || count(*) - 1 || ' more' ELSE '' END AS reason
    FROM cluster_resource r
    JOIN deployed_design at ON at.design_id = r.design_id AND at.environment_id = r.environment_id AND at.connection_id = r.connection_id
    JOIN deployment d ON d.id = at.deployment_id
   WHERE r.health = 'Degraded' AND r.design_id IS NOT NULL AND ${ofWorkspaces('d')} AND ${inOrganization('d')}
   GROUP BY d.id`;

const DRIFTED = `
  SELECT d.id, d.name, coalesce(${lastEvent('d.id', 'deployment', 'drifted')}, min(drift.checked_at)) AS since, d.workspace_id,
         d.environment_id, 'what is on the cluster differs from the design' AS reason
    FROM deployed_drift drift JOIN deployment d ON d.id = drift.deployment_id
   WHERE drift.status = 'drifted' AND ${ofWorkspaces('d')} AND ${inOrganization('d')}
   GROUP BY d.id`;

/** Those that the caller may approve. */
const PENDING = `
  SELECT d.id, d.name, d.created_at AS since, d.workspace_id, d.environment_id,
         coalesce(d.options->>'reason', 'waits for approval') AS reason
    FROM deployment d
   WHERE d.status = 'pending_approval' AND d.finished_at IS NULL AND d.approval_expires_at > now()
     AND d.requested_by IS DISTINCT FROM $1 AND NOT d.approvals @> jsonb_build_array(jsonb_build_object('user_id', $1::text))
     AND ${ofWorkspaces('d', asAdmin)} AND ${inOrganization('d')}`;

const WEBHOOKS = `
  SELECT w.id, w.url AS name, coalesce(w.disabled_at, w.failing_since) AS since, w.workspace_id, NULL AS environment_id,
         CASE WHEN w.disabled_at IS NULL THEN 'every attempt to send to it fails' ELSE 'the server disabled it' END AS reason
    FROM webhook w
   WHERE w.deleted_at IS NULL AND (w.disabled_at IS NOT NULL OR (w.enabled AND w.failing_since IS NOT NULL))
     AND ${ofWorkspaces('w', asAdmin)} AND ${inOrganization('w')}`;

const CONNECTIONS = `
  SELECT c.id, c.name, coalesce(${lastEvent('c.id', 'connection', 'status_changed')}, c.updated_at) AS since,
         NULL AS workspace_id, NULL AS environment_id, 'the connection is ' || c.status AS reason
    FROM connection c
   WHERE c.deleted_at IS NULL AND c.status IN ('disconnected', 'not found')
     AND ${visibleSql('c', 'connection', '$1')} AND ${inOrganization('c')}`;

/** The environments with a freeze that may be active; whether one is depends on its rule. */
const FREEZING = `
  SELECT e.id, e.name FROM environment e
   WHERE e.deleted_at IS NULL AND e.status = 'active' AND ${visibleSql('e', 'environment', '$1')} AND ${inOrganization('e')}
     AND e.id IN (SELECT f.environment_id FROM environment_freeze f WHERE f.deleted_at IS NULL AND f.starts_at <= now()
       AND (f.recurrence IS NOT NULL OR f.ends_at > now()))
   ORDER BY e.id LIMIT ${MAX_OF_KIND}`;

/** What needs attention among the records that a user sees. */
@Injectable()
export class AttentionStore {
  constructor(private readonly unit: UnitOfWork) {}

  findFailed(actor: Actor, organizationId?: string): Promise<AttentionItem[]> {
    return this.find('failed', 'deployment', FAILED, actor, organizationId);
  }

  findPending(actor: Actor, organizationId?: string): Promise<AttentionItem[]> {
    return this.find('approval', 'deployment', PENDING, actor, organizationId);
  }

  findWebhooks(actor: Actor, organizationId?: string): Promise<AttentionItem[]> {
    return this.find('webhook', 'webhook', WEBHOOKS, actor, organizationId);
  }

  /** Whoever reads a deployment reads its health too, also of clusters that they do not see. */
  findDegraded(actor: Actor, organizationId?: string): Promise<AttentionItem[]> {
    return this.findAsSystem('degraded', 'deployment', DEGRADED, actor, organizationId);
  }

  findDrifted(actor: Actor, organizationId?: string): Promise<AttentionItem[]> {
    return this.findAsSystem('drifted', 'deployment', DRIFTED, actor, organizationId);
  }

  /** The time of the change is that of an event, which not everybody reads who sees the connection. */
  findConnections(actor: Actor, organizationId?: string): Promise<AttentionItem[]> {
    return this.findAsSystem('connection', 'connection', CONNECTIONS, actor, organizationId);
  }

  findFreezing(actor: Actor, organizationId?: string): Promise<{ id: string; name: string }[]> {
    return this.unit.runAsSystem('freezes of environments', () =>
      this.unit.manager.query(FREEZING, [actor.userId, organizationId ?? null]),
    );
  }

  private findAsSystem(...parameters: Parameters<AttentionStore['find']>): Promise<AttentionItem[]> {
    return this.unit.runAsSystem('what needs attention', () => this.find(...parameters));
  }

  private async find(
    kind: AttentionKind,
    type: SubjectType,
    sql: string,
    actor: Actor,
    organizationId?: string,
  ): Promise<AttentionItem[]> {
    const rows = await this.unit.manager.query<Row[]>(`${sql} ORDER BY since DESC, 1 LIMIT ${MAX_OF_KIND}`, [
      actor.userId,
      organizationId ?? null,
    ]);
    return rows.map(({ id, name, ...item }) => ({ kind, ...item, subject: { type, id, name } }));
  }
}
