import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { Conflict, InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Design } from './design.entity.js';
import type { DesignChange } from './design.inputs.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';

/** Where a body says that a new design goes. */
export interface Place {
  workspace_id?: string;
  organization_id?: string;
}

/** Finds the workspace and the design that a body means. */
@Injectable()
export class DesignPlacement {
  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly workspaces: WorkspacesService,
    private readonly organizations: OrganizationsService,
  ) {}

  /** The workspace of the body, else the caller's default one; the caller must be allowed to make designs there. */
  async placeFor(actor: Actor, { workspace_id, organization_id }: Place): Promise<Workspace> {
    const workspace = workspace_id
      ? await this.workspaces.get(actor, workspace_id)
      : await this.workspaces.defaultOf(actor, (await this.organizations.meantBy(actor, organization_id)).id);
    await this.designs.require(actor, 'create', {
      workspaceId: workspace.id,
      organizationId: workspace.organizationId,
    });
    workspace.mustBeActive();
    return workspace;
  }

  /** The design that a change names by its id, else the only one of its name that the actor may change. */
  async meantBy(actor: Actor, { id, name, pattern_data }: DesignChange): Promise<Design> {
    const named = id ?? (typeof pattern_data?.['id'] === 'string' ? pattern_data['id'] : undefined);
    if (named) return this.designs.get(actor, named);
    const wanted = name ?? (typeof pattern_data?.['name'] === 'string' ? pattern_data['name'] : undefined);
    if (!wanted)
      throw InvalidRequest.at(
        '/id',
        'is required',
        'Send the id of the design, or the name of your only one of that name.',
      );
    const [only, ...others] = await this.store.findEditable(actor, wanted);
    if (!only) throw new NotFound('design', wanted);
    if (others.length === 0) return only;
    const ids = [only, ...others].map((design) => design.id);
    throw new Conflict('AMBIGUOUS_NAME', `${ids.length} designs are called ${wanted}: ${ids.join(', ')}`, {
      extensions: { ids },
      remedy: 'Send the id of the one you mean.',
    });
  }
}
