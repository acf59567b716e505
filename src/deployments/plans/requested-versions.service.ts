import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Precondition } from '../../core/rest/precondition.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignChange } from '../../designs/design.inputs.js';
import { DesignChangesService } from '../../designs/design-changes.service.js';
import { ValueVariantsService } from '../../designs/versions/value-variants.service.js';
import { VersionsService } from '../../designs/versions/versions.service.js';
import type { DeployRequest, PlanRequest } from '../deployment.inputs.js';

/** Finds, or makes, the versions of designs that requests are for. */
@Injectable()
export class RequestedVersionsService {
  constructor(
    private readonly versions: VersionsService,
    private readonly variants: ValueVariantsService,
    private readonly changes: DesignChangesService,
  ) {}

  /** The same for a content that is sent along, which is saved as the next version when it differs from the stored one. */
  async resolveWithFile(actor: Actor, design: Design, request: DeployRequest): Promise<number> {
    const { pattern_file } = request;
    if (pattern_file === undefined) return this.resolve(actor, design, request);
    const change = Object.assign(new DesignChange(), { pattern_data: { pattern_file } });
    const saved = await this.changes.update(actor, design.id, change, [], Precondition.none);
    return this.resolve(actor, saved.design, request);
  }

  /** Whether a version is another one, or that one with other values. */
  async isVersionOrVariant(design: Design, number: number, of: number): Promise<boolean> {
    return number === of || (await this.versions.getVersion(design, number)).variantOf === of;
  }

  /** The number of the version that is named or current, with the values that are sent. @throws NotFound */
  async resolve(
    actor: Actor,
    design: Design,
    { version, values }: Pick<PlanRequest, 'version' | 'values'>,
  ): Promise<number> {
    const base = await this.versions.getVersion(design, version);
    return values === undefined ? base.number : this.variants.findOrCreate(actor, design, base, values);
  }
}
