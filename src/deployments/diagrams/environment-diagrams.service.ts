import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.entity.js';
import type { Actor } from '../../core/access/actor.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { DiagramAnswer } from '../../designs/diagram/diagram-answer.js';
import { drawingTask } from '../../designs/diagram/draw-diagram.js';
import type { Theme } from '../../designs/diagram/palette.js';
import { EnvironmentConnectionsService } from '../../environments/connections/environment-connections.service.js';
import { EnvironmentsService } from '../../environments/environments.service.js';
import { ClusterResourcesService } from '../../kubernetes/resources/cluster-resources.service.js';
import type { WatchSummary } from '../../kubernetes/resources/cluster-resources.store.js';
import { buildEnvironmentDiagram, type DiagramCluster, MAX_NAMED } from './build-environment-diagram.js';
import { DesignSecretsService } from '../design-secrets.service.js';
import { EnvironmentResourcesStore, type FoundResource, type NamedResource } from './environment-resources.store.js';

/** Maximum number of unhealthy objects that are read for titles. */
const MAX_UNWELL = 500;

/** Renders the resources that run in environments. */
@Injectable()
export class EnvironmentDiagramsService {
  constructor(
    private readonly environments: EnvironmentsService,
    private readonly connections: EnvironmentConnectionsService,
    private readonly resources: ClusterResourcesService,
    private readonly running: EnvironmentResourcesStore,
    private readonly secrets: DesignSecretsService,
    private readonly pool: WorkerPool,
  ) {}

  /** Contains the objects of the clusters that are visible to the actor. @throws NotFound */
  async diagram(actor: Actor, id: string, theme: Theme, namespace?: string): Promise<DiagramAnswer> {
    const { name, revision } = await this.environments.get(actor, id);
    const visible = (await this.connections.listByEnvironment(actor, [id])).get(id) ?? [];
    const clusters = visible.filter(({ kind }) => kind === 'kubernetes');
    const scope = { connectionIds: clusters.map((cluster) => cluster.id), namespace };
    const watches = clusters.length > 0 ? await this.resources.listWatches(actor, scope.connectionIds) : [];
    const counts = await this.running.count(scope);
    const total = counts.reduce((all, { count }) => all + count, 0);
    const isSmall = total <= MAX_NAMED;
    const diagram = buildEnvironmentDiagram({
      name,
      clusters: clusters.map((cluster) => toDiagramCluster(cluster, watches)),
      counts,
      named: await this.hideSecrets(await this.running.list(scope, !isSmall, isSmall ? MAX_NAMED : MAX_UNWELL)),
    });
    const digest = createHash('sha256')
      .update(JSON.stringify([theme, diagram]))
      .digest('base64url');
    return new DiagramAnswer({ revision: `${revision}.${digest}`, versionNumber: 0 }, () =>
      this.pool.run(drawingTask, { diagram, theme }, { lane: 'own' }),
    );
  }

  private async hideSecrets(named: FoundResource[]): Promise<NamedResource[]> {
    const messages = await this.secrets.hideInMessages(
      named.map(({ message, design_id, connection_id }) => ({
        designId: design_id,
        connectionId: connection_id,
        message,
      })),
    );
    return named.map((one, index) => ({ ...one, message: messages[index] ?? null }));
  }
}

/** A cluster with a note on anything that makes its state unreliable. */
function toDiagramCluster({ id, name }: Connection, watches: WatchSummary[]): DiagramCluster {
  const watch = watches.find(({ connection_id }) => connection_id === id);
  const notes = !watch
    ? ['not watched']
    : [
        ...(watch.stale_since ? [`out of date since ${watch.stale_since.toISOString()}`] : []),
        ...(!watch.stale_since && watch.status !== 'watching' ? ['not everything is listed yet'] : []),
        ...(watch.missing.length > 0 ? [`${watch.missing.length} kinds not read, or in some namespaces only`] : []),
      ];
  return { id, name, notes };
}
