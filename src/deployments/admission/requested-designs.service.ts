import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignsService } from '../../designs/designs.service.js';

/** How a request names a design. */
interface DesignName {
  id?: string;
  pattern_id?: string;
  pattern_file?: string;
}

/** Finds the designs that requests name. */
@Injectable()
export class RequestedDesignsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly access: Access,
  ) {}

  /** @throws InvalidRequest when no design is named, NotFound */
  get(actor: Actor, { id, pattern_id, pattern_file }: DesignName): Promise<Design> {
    const design = id ?? pattern_id;
    if (!design && pattern_file !== undefined)
      throw InvalidRequest.forField('/id', 'is required', 'Import the file first: POST /api/pattern/import.');
    if (!design) throw InvalidRequest.forField('/id', 'is required', 'Send the id of the design.');
    return this.designs.get(actor, design);
  }

  /** The same for an actor who may do this in the workspace of the design. @throws Forbidden */
  async getAllowed(actor: Actor, operation: Operation, name: DesignName): Promise<Design> {
    const design = await this.get(actor, name);
    await this.authorize(actor, operation, design, design.workspaceId);
    return design;
  }

  /** Judges what an actor does with a design in a workspace where it is deployed. @throws Forbidden */
  authorize(actor: Actor, operation: Operation, { organizationId }: Design, workspaceId: string): Promise<void> {
    return this.access.authorize(actor, operation, { type: 'workspace', id: workspaceId, organizationId });
  }
}
