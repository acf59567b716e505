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

/** Finds, or makes, the versions of designs that requests are for. */
@Injectable()
export class RequestedVersionsService {
  constructor(
    private readonly versions: VersionsService,
    private readonly variants: ValueVariantsService,
    private readonly changes: DesignChangesService,
    private readonly deployed: DeployedDesignsStore,
  ) {}

  /** The same for a content that is sent along, which is saved as the next version when it differs from the stored one. */
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

  /** Whether a version is another one, or that one with other values. */
  async isVersionOrVariant(design: Design, number: number, of: number): Promise<boolean> {
    return number === of || (await this.versions.getVersion(design, number)).variantOf === of;
  }

  /**
   * The number of the version that is named or current. One of a chart is rendered with the values that are sent, and for the namespace
   * that it is deployed in: its templates may name the namespace of the release.
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

  /** The namespace that what stands there was rendered for, when it is not that of the design. */
  private async findNamespace(
    design: Design,
    { environmentId, connectionIds }: Destination,
  ): Promise<string | undefined> {
    const standing = await this.deployed.findByUse({ designId: design.id, environmentId });
    const there = standing.find(({ connectionId }) => connectionIds.includes(connectionId));
    return there && this.variants.findNamespace(design, there.designVersion);
  }
}
