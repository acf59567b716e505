import { Injectable } from '@nestjs/common';
import { Access } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { NotFound } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Page } from '../core/listing/page.js';
import { Precondition } from '../core/rest/precondition.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Design } from './design.entity.js';
import { DesignDeleted, DesignMoved, DesignRestored } from './design.events.js';
import type { DesignListQuery } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignsStore, readTime, readVisibilities } from './designs.store.js';
import { OrganizationsService } from '../organizations/organizations.service.js';

/** Designs as records: who sees them, where they live, how they go and come back. Their content is written by DesignWriter. */
@Injectable()
export class DesignsService {
  private readonly preparations: ((actor: Actor, design: Design, undeploy: boolean) => Promise<void>)[] = [];

  constructor(
    private readonly designs: DesignsStore,
    private readonly workspaces: WorkspacesService,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** The designs of the caller's workspaces, and those shared with the caller's organizations. */
  async list(actor: Actor, query: DesignListQuery): Promise<Page<Design>> {
    const organization = query.organization_id ? await this.organizations.get(actor, query.organization_id) : null;
    if (query.workspace_id) await this.workspaces.get(actor, query.workspace_id);
    const scope = {
      organizationId: organization?.id,
      workspaceId: query.workspace_id,
      sourceType: query.source_type,
      visibility: readVisibilities(query.visibility),
      from: readTime('from', query.from),
      to: readTime('to', query.to),
      updatedAfter: readTime('updated_after', query.updated_after),
    };
    return this.designs.page(actor, scope, query);
  }

  /** @throws NotFound when there is none that the actor may see */
  async get(actor: Actor, id: string): Promise<Design> {
    return found(id, await this.designs.find(actor, id));
  }

  /** Moves a design into a workspace; needs an editor on both sides. Moving it where it is changes nothing. */
  async move(actor: Actor, workspaceId: string, id: string): Promise<Design> {
    return this.unit.run(async () => {
      const target = await this.workspaces.mustBeActive(actor, workspaceId);
      await this.require(actor, 'move', { workspaceId, organizationId: target.organizationId });
      const design = await this.open(actor, id, 'move');
      if (design.organizationId !== target.organizationId) throw new NotFound('design', id);
      if (design.workspaceId === workspaceId) return design;
      const from = design.workspaceId;
      await this.designs.update(design, { workspaceId });
      await this.events.publish(new DesignMoved(actor, design, { from, to: workspaceId }));
      return design;
    });
  }

  /** Takes a design out of a workspace: it moves to its owner's default workspace. */
  async moveHome(actor: Actor, workspaceId: string, id: string): Promise<Design> {
    return this.unit.run(async () => {
      const design = await this.open(actor, id, 'move');
      if (design.workspaceId !== workspaceId) throw new NotFound('design', id);
      // The owner's workspace is not the mover's to see.
      const home = await this.unit.asSystem('moving a design home', async () => {
        const found = await this.workspaces.defaultOf(actor, design.organizationId, design.userId);
        if (found.id !== workspaceId) await this.designs.update(design, { workspaceId: found.id });
        return found;
      });
      if (home.id === workspaceId) return design;
      await this.events.publish(new DesignMoved(actor, design, { from: workspaceId, to: home.id }));
      return design;
    });
  }

  /** Registers what must be done before a design may be deleted, outside of the transaction, such as undeploying it. */
  beforeDeletion(prepare: (actor: Actor, design: Design, undeploy: boolean) => Promise<void>): void {
    this.preparations.push(prepare);
  }

  async delete(actor: Actor, id: string, match: Precondition, undeploy = false): Promise<Design> {
    const current = await this.get(actor, id);
    await this.require(actor, 'delete', current);
    for (const prepare of this.preparations) await prepare(actor, current, undeploy);
    return this.unit.run(async () => {
      const design = await this.open(actor, id, 'delete', match);
      await this.designs.softDelete(design);
      await this.events.publish(new DesignDeleted(actor, design));
      return design;
    });
  }

  /** Restoring one that is not deleted changes nothing. */
  async restore(actor: Actor, id: string): Promise<Design> {
    return this.unit.run(async () => {
      const design = found(id, await this.designs.lockWithDeleted(actor, id));
      await this.require(actor, 'restore', design);
      if (!design.deletedAt) return design;
      await this.workspaces.mustBeActive(actor, design.workspaceId);
      await this.designs.update(design, { deletedAt: null });
      await this.events.publish(new DesignRestored(actor, design));
      return design;
    });
  }

  /** Finds, requires, compares, and refuses what lies in an archived workspace: how every change of one design begins. */
  async open(
    actor: Actor,
    id: string,
    operation: keyof typeof designPolicy,
    match = Precondition.none,
  ): Promise<Design> {
    const design = found(id, await this.designs.lock(actor, id));
    await this.require(actor, operation, design);
    await this.workspaces.mustBeActive(actor, design.workspaceId);
    match.check(design);
    return design;
  }

  require(
    actor: Actor,
    operation: keyof typeof designPolicy,
    at: { workspaceId: string; organizationId: string },
  ): Promise<void> {
    return this.access.require(actor, designPolicy[operation], {
      type: 'workspace',
      id: at.workspaceId,
      organizationId: at.organizationId,
    });
  }
}

function found(id: string, design: Design | null): Design {
  if (!design) throw new NotFound('design', id);
  return design;
}
