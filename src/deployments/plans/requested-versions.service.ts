import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Precondition } from '../../core/rest/precondition.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignChange } from '../../designs/design.inputs.js';
import { DesignChangesService } from '../../designs/design-changes.service.js';
import { ValueVariantsService } from '../../designs/versions/value-variants.service.js';
import { VersionsService } from '../../designs/versions/versions.service.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import type { DeployRequest, PlanRequest } from '../deployment.inputs.js';

/** Where a version is to be deployed. */
type Destination = Pick<Deployment, 'environmentId' | 'connectionIds'>;

/** Finds or creates the design version of a request. */
@Injectable()
export class RequestedVersionsService {
  constructor(
    private readonly versions: VersionsService,
    private readonly variants: ValueVariantsService,
    private readonly changes: DesignChangesService,
    private readonly deployed: DeployedDesignsStore,
  ) {}

  /** As `resolve`, for content in the request, which is saved as the next version if it differs from the stored one. */
  async resolveWithFile(
    actor: Actor,
    design: Design,
    request: DeployRequest,
    destination: Destination,
  ): Promise<number> {
    const { pattern_file } = request;
    if (pattern_file === undefined) return this.resolve(actor, design, request, destination);
    const change = Object.assign(new DesignChange(), { pattern_data: { pattern_file } });
    const saved = await this.changes.update(actor, design.id, change, [], Precondition.none);
    return this.resolve(actor, saved.design, request, destination);
  }

  /** Whether a version is the given one, or that one with other values. */
  async isVersionOrVariant(design: Design, number: number, of: number): Promise<boolean> {
    return number === of || (await this.versions.getVersion(design, number)).variantOf === of;
  }

  /**
   * The number of the requested or current version. A chart is rendered with the values of the request and for the target
   * namespace, because its templates may use the namespace of the release.
   * @throws NotFound
   */
  async resolve(
    actor: Actor,
    design: Design,
    { version, values, namespace }: Pick<PlanRequest, 'version' | 'values' | 'namespace'>,
    destination: Destination,
  ): Promise<number> {
    const base = await this.versions.getVersion(design, version);
    const release =
      base.sourceType === 'helm' ? (namespace ?? (await this.findNamespace(design, destination))) : undefined;
    return this.variants.findOrCreate(actor, design, base, { values, namespace: release });
  }

  /** The namespace for which the deployed version was rendered, if it differs from that of the design. */
  private async findNamespace(
    design: Design,
    { environmentId, connectionIds }: Destination,
  ): Promise<string | undefined> {
    const deployed = await this.deployed.findByUse({ designId: design.id, environmentId });
    const there = deployed.find(({ connectionId }) => connectionIds.includes(connectionId));
    return there && this.variants.findNamespace(design, there.designVersion);
  }
}
