import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import type { ClusterResource } from '../../kubernetes/resources/cluster-resource.entity.js';
import { ClusterResourcesService } from '../../kubernetes/resources/cluster-resources.service.js';
import type { ClusterResourceListQuery } from '../../kubernetes/resources/resource.inputs.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import { DesignSecretsService } from '../design-secrets.service.js';
import { ClusterResourceView } from './cluster-resource.view.js';

/** Resources of clusters with their deployments. */
@Injectable()
export class RunningResourcesService {
  constructor(
    private readonly resources: ClusterResourcesService,
    private readonly deployed: DeployedDesignsStore,
    private readonly secrets: DesignSecretsService,
  ) {}

  async list(actor: Actor, query: ClusterResourceListQuery): Promise<PageEnvelope> {
    const page = await this.resources.list(actor, query);
    await this.hideSecrets(page.items);
    const [deployments, stale] = [await this.findDeployments(page.items), await this.findStale(actor, page.items)];
    return toPageEnvelope(page, 'resources', (resource) =>
      ClusterResourceView.fromEntity(
        resource,
        deployments.get(resource.id) ?? null,
        stale.get(resource.connectionId) ?? null,
      ),
    );
  }

  async get(actor: Actor, id: string): Promise<ClusterResourceView> {
    const resource = await this.resources.get(actor, id);
    await this.hideSecrets([resource]);
    const deployments = await this.findDeployments([resource]);
    const stale = await this.findStale(actor, [resource]);
    return ClusterResourceView.fromEntity(
      resource,
      deployments.get(id) ?? null,
      stale.get(resource.connectionId) ?? null,
    );
  }

  /** Hides the secret values of the designs that resources come from in their messages, and of a single one in all of it. */
  private async hideSecrets(resources: ClusterResource[]): Promise<void> {
    const speaking = resources.filter(({ healthMessage, content }) => healthMessage !== null || content);
    const hidings = await this.secrets.findAll(speaking);
    for (const [index, resource] of speaking.entries()) {
      const hiding = hidings[index];
      if (!hiding) continue;
      const { apiVersion, kind, name, labels, healthMessage, content } = resource;
      resource.healthMessage = healthMessage && hiding.hideInMessage(healthMessage);
      if (!(content as object | undefined)) continue;
      resource.content = hiding.hideInObject(content as KubernetesObject);
      resource.labels = hiding.hideInObject({ apiVersion, kind, metadata: { name, labels } }).metadata.labels ?? {};
    }
  }

  /** Since when the watch of each cluster is stale, by connection. */
  private async findStale(actor: Actor, resources: ClusterResource[]): Promise<Map<string, Date | null>> {
    const ids = [...new Set(resources.map(({ connectionId }) => connectionId))];
    const watches = ids.length > 0 ? await this.resources.listWatches(actor, ids) : [];
    return new Map(watches.map(({ connection_id, stale_since }) => [connection_id, stale_since]));
  }

  /** The current deployment of each resource, by resource id. */
  private async findDeployments(resources: ClusterResource[]): Promise<Map<string, string>> {
    const designs = [...new Set(resources.flatMap(({ designId }) => designId ?? []))];
    if (designs.length === 0) return new Map();
    const deployed = await this.deployed.findByDesigns(designs);
    return new Map(
      resources.flatMap(({ id, designId, environmentId, connectionId }) => {
        const found = deployed.find(
          (one) =>
            one.designId === designId && one.environmentId === environmentId && one.connectionId === connectionId,
        );
        return found ? [[id, found.deploymentId] as const] : [];
      }),
    );
  }
}
