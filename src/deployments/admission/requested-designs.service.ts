import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignsService } from '../../designs/designs.service.js';

/** The fields of a request that identify a design. */
interface DesignName {
  id?: string;
  pattern_id?: string;
}

/** Finds the design of a request. */
@Injectable()
export class RequestedDesignsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly access: Access,
  ) {}

  /** @throws InvalidRequest when the request identifies no design, NotFound */
  get(actor: Actor, { id, pattern_id }: DesignName): Promise<Design> {
    const design = id ?? pattern_id;
    if (!design) throw InvalidRequest.forField('/id', 'is required', 'Send the id of the design.');
    return this.designs.get(actor, design);
  }

  /** As `get`, and checks the right to the operation in the workspace of the design. @throws Forbidden */
  async getAllowed(actor: Actor, operation: Operation, name: DesignName): Promise<Design> {
    const design = await this.get(actor, name);
    await this.authorize(actor, operation, design, design.workspaceId);
    return design;
  }

  /** Checks the right to an operation on a design in a workspace from which it is deployed. @throws Forbidden */
  authorize(actor: Actor, operation: Operation, { organizationId }: Design, workspaceId: string): Promise<void> {
    return this.access.authorize(actor, operation, { type: 'workspace', id: workspaceId, organizationId });
  }
}
