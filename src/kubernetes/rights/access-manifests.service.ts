import { Injectable } from '@nestjs/common';
import { ConnectionsService } from '../../connections/connections.service.js';
import type { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { clusterPolicy } from '../cluster.policy.js';
import { assertCluster } from '../middleware/open-clusters.service.js';
import { buildAccessManifest } from './access-manifest.js';
import { RightsQuery } from './rights.inputs.js';

/** Builds manifests that grant the permissions of a connection. */
@Injectable()
export class AccessManifestsService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly env: Env,
  ) {}

  async build(actor: Actor, id: string, query: RightsQuery): Promise<{ name: string; text: string }> {
    await this.connections.authorize(actor, clusterPolicy.readRights, id);
    const { kind, metadata } = await this.connections.get(actor, id);
    assertCluster(kind);
    const purposes = RightsQuery.purposesOf(query, ['deploy']);
    const text = buildAccessManifest({
      purposes,
      server: String(metadata['server']),
      namespace: query.namespace || undefined,
      operatorNamespace: this.env.OPERATOR_NAMESPACE,
    });
    return { name: `armature-${purposes.join('-')}`, text };
  }
}
