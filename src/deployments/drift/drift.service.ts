import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { ConnectionsStore } from '../../connections/connections.store.js';
import { DesignsService } from '../../designs/designs.service.js';
import { type DeployedDesign, DeployedDesignsStore } from '../deployed-designs.store.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DriftChecksService, type DriftFinding } from './drift-checks.service.js';
import type { DriftQuery } from './drift.inputs.js';
import type { DriftView } from './drift.view.js';

/** Compares deployed designs with the live state at the request of users. */
@Injectable()
export class DriftService {
  private readonly running = new Map<string, Promise<DriftFinding>>();

  constructor(
    private readonly designs: DesignsService,
    private readonly connections: ConnectionsStore,
    private readonly deployed: DeployedDesignsStore,
    private readonly checks: DriftChecksService,
  ) {}

  /** Compares the destinations that are visible to the actor and match the query. */
  async getDrift(actor: Actor, id: string, { environment_id, connection_id }: DriftQuery): Promise<DriftView> {
    assertScope(actor, deploymentPolicy.read);
    await this.designs.get(actor, id);
    const use = { designId: id, environmentId: environment_id, connectionId: connection_id };
    const deployed = await this.deployed.findByUse(use);
    const visible = await this.connections.findAll(
      actor,
      deployed.map(({ connectionId }) => connectionId),
    );
    const destinations = deployed.filter(({ connectionId }) => visible.has(connectionId));
    const findings = [];
    for (const destination of destinations)
      findings.push({ destination, finding: await this.compareOnce(destination) });
    const all = findings.map(({ finding }) => finding.status);
    return {
      status: all.includes('drifted') ? 'drifted' : all.includes('unknown') || all.length === 0 ? 'unknown' : 'in_sync',
      checked_at: destinations.length > 0 ? new Date() : null,
      resources: findings.flatMap(({ destination, finding }) =>
        finding.resources.map((resource) => ({ ...resource, connection_id: destination.connectionId })),
      ),
      errors: findings.flatMap(({ destination, finding: { error } }) =>
        error ? [{ connection_id: destination.connectionId, code: error.code, detail: error.message }] : [],
      ),
    };
  }

  /** Concurrent requests share one comparison. */
  private compareOnce(destination: DeployedDesign): Promise<DriftFinding> {
    const key = `${destination.deploymentId} ${destination.connectionId}`;
    const found = this.running.get(key);
    if (found) return found;
    const comparing = this.checks.compare(destination).finally(() => this.running.delete(key));
    this.running.set(key, comparing);
    return comparing;
  }
}
