import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import type { RequestFields } from '../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { designPolicy } from './design.policy.js';
import { DesignsService } from './designs.service.js';

/** Authorizes imports: a new design by its workspace, a new version by its design. */
@Injectable()
export class DesignImportRights implements PlacementAuthorizer {
  constructor(
    private readonly designs: DesignsService,
    private readonly placement: WorkspacePlacementService,
  ) {}

  authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    const id = fields.id('id');
    return id
      ? this.designs.authorize(actor, designPolicy.update, id)
      : this.placement.authorizeIn(actor, operation, fields);
  }
}
