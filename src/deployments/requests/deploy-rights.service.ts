import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import type { RequestFields } from '../../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { designPolicy } from '../../designs/design.policy.js';
import { DesignsService } from '../../designs/designs.service.js';
import { WorkspacePlacementService } from '../../workspaces/workspace-owned/workspace-placement.service.js';

/** Authorizes deployments: of a design by its id, of a file without one by the workspace in which it is imported. */
@Injectable()
export class DeployRights implements PlacementAuthorizer {
  constructor(
    private readonly designs: DesignsService,
    private readonly placement: WorkspacePlacementService,
  ) {}

  async authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    if (fields.id('id') ?? fields.id('pattern_id')) return this.designs.authorizeIn(actor, operation, fields);
    if (fields.value('pattern_file') === undefined) return;
    await this.placement.authorizeIn(actor, designPolicy.create, fields);
    await this.placement.authorizeIn(actor, operation, fields);
  }
}
