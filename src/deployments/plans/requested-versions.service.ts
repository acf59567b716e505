import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { Precondition } from '../../core/rest/precondition.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignChange } from '../../designs/design.inputs.js';
import { DesignChangesService } from '../../designs/design-changes.service.js';
import type { DesignVersion } from '../../designs/contents/design-version.entity.js';
import type { HelmSettings } from '../../designs/formats/helm/release.js';
import { type ChartRendering, ChartRenderingsService } from '../../designs/versions/chart-renderings.service.js';
import { VersionsService } from '../../designs/versions/versions.service.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import type { DeployRequest, PlanRequest } from '../deployment.inputs.js';
import { DeploymentsStore } from '../deployments.store.js';
import { ChartLookup } from '../renderings/chart-lookup.js';
import type { DeployedVersions, Rendering } from '../renderings/rendering.js';
import { DeploymentContextService } from './deployment-context.service.js';

/** Where a version is to be deployed. */
type Destination = Pick<Deployment, 'environmentId' | 'connectionIds'>;

/** A value that a chart generates and that what is deployed on the cluster does not have. */
export interface NewValue {
  connection_id: string;
  template: string;
  function: string;
}

/** The versions of a request. */
export interface RequestedVersions extends DeployedVersions {
  newValues: NewValue[];
}

type Wanted = Pick<PlanRequest, 'version' | 'values' | 'namespace'>;

/** Finds or creates the design version of a request; a chart is rendered for each of the clusters. */
@Injectable()
export class RequestedVersionsService {
  constructor(
    private readonly versions: VersionsService,
    private readonly renderings: ChartRenderingsService,
    private readonly changes: DesignChangesService,
    private readonly deployed: DeployedDesignsStore,
    private readonly deployments: DeploymentsStore,
    private readonly work: DeploymentContextService,
  ) {}

  /** As `resolve`, for content in the request, which is saved as the next version if it differs from the stored one. */
  async resolveWithFile(
    actor: Actor,
    design: Design,
    request: DeployRequest,
    destination: Destination,
  ): Promise<RequestedVersions> {
    const { pattern_file } = request;
    if (pattern_file === undefined) return this.resolve(actor, design, request, destination);
    const change = Object.assign(new DesignChange(), { pattern_data: { pattern_file } });
    const saved = await this.changes.update(actor, design.id, change, [], Precondition.none);
    return this.resolve(actor, saved.design, request, destination);
  }

  /** Whether a version is the given one, or a rendering of it. */
  async isVersionOrVariant(design: Design, number: number, of: number): Promise<boolean> {
    return number === of || (await this.versions.getVersion(design, number)).variantOf === of;
  }

  /**
   * The requested or current version. A chart is rendered with the values of the request, for the version and the APIs of each cluster,
   * and for its history there.
   * @throws NotFound, ClusterError when a cluster cannot be used, InvalidRequest with Helm's errors
   */
  async resolve(
    actor: Actor,
    design: Design,
    wanted: Wanted,
    { environmentId, connectionIds }: Destination,
  ): Promise<RequestedVersions> {
    const base = await this.versions.getReadable(actor, design, wanted.version);
    const settings = await this.renderings.findSettings(design, base);
    if (!settings && wanted.values !== undefined)
      throw InvalidRequest.forField('/values', 'are for designs of a Helm chart', 'Leave them out.');
    const renderings: Record<string, Rendering> = {};
    const newValues: NewValue[] = [];
    if (settings)
      for (const connectionId of connectionIds) {
        const place = { designId: design.id, environmentId, connectionId };
        const { number, generated, ...rendering } = await this.render(actor, design, base, wanted, place, settings);
        renderings[connectionId] = { ...rendering, version: number };
        for (const call of generated)
          newValues.push({ connection_id: connectionId, template: call.template, function: call.function });
      }
    const [first] = Object.values(renderings);
    return { designVersion: first?.version ?? base.number, renderings, newValues };
  }

  private async render(
    actor: Actor,
    design: Design,
    base: DesignVersion,
    wanted: Wanted,
    place: { designId: string; environmentId: string; connectionId: string },
    settings: HelmSettings,
  ): Promise<ChartRendering & Omit<Rendering, 'version'>> {
    const { connectionId } = place;
    const client = await this.work.getClient(connectionId);
    const known = await this.deployed.find(place, connectionId);
    const namespace = wanted.namespace || known?.namespace || settings.namespace || client.namespace || 'default';
    // Definitions may have come since the discovery that is kept.
    const kinds = await client.listKinds(0);
    const lookup = new ChartLookup(client, kinds, await this.work.getOwner(place, connectionId));
    const target = {
      connectionId,
      namespace,
      release: settings.name,
      deployed: known?.designVersion,
      destination: {
        isUpgrade: known !== null,
        revision: known ? (await this.deployments.countRevisions(place)) + 1 : 1,
      },
      cluster: {
        version: (await client.version()).gitVersion,
        kinds,
        apiVersions: [...(await client.listUnavailable())],
        lookup: lookup.find.bind(lookup),
      },
    };
    const rendering = await this.renderings.findOrCreate(actor, design, base, target, wanted.values);
    return { ...rendering, namespace, warnings: lookup.warnings };
  }
}
