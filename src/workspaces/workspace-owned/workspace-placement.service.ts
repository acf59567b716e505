import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { RequestFields } from '../../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { PersonalWorkspacesService } from '../personal/personal-workspaces.service.js';
import type { QuotaKey } from '../quotas/quota.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import type { Workspace } from '../workspace.entity.js';
import { WorkspacesService } from '../workspaces.service.js';

/** The workspace of a new record, in a request body. */
export interface PlacementInput {
  workspace_id?: string;
  organization_id?: string;
}

/** Admits records to workspaces: checks the right to create them there, that the workspace is not archived, and its quotas. */
@Injectable()
export class WorkspacePlacementService implements PlacementAuthorizer {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly personal: PersonalWorkspacesService,
    private readonly organizations: OrganizationsService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly access: Access,
  ) {}

  /** Callers may create any record in their default workspace, so without a workspace in the body only the organization is checked. */
  async authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    const workspace = fields.id('workspace_id');
    const organization = fields.id('organization_id');
    if (workspace) await this.workspaces.authorize(actor, operation, workspace);
    else if (organization) await this.organizations.get(actor, organization);
  }

  /** @throws NotFound when a list is filtered by an organization or a workspace that the actor does not see */
  async assertVisible(actor: Actor, { organization_id, workspace_id }: PlacementInput): Promise<void> {
    if (organization_id) await this.organizations.get(actor, organization_id);
    if (workspace_id) await this.workspaces.get(actor, workspace_id);
  }

  /**
   * Locks a workspace for a change of its records; with a quota, checks that it allows one more record.
   * @throws NotFound, or Conflict WORKSPACE_ARCHIVED, QUOTA_EXCEEDED
   */
  async admit(actor: Actor, workspaceId: string, quota?: QuotaKey): Promise<Workspace> {
    const workspace = await this.workspaces.lockActive(actor, workspaceId);
    if (quota) await this.quotas.assertWithinLimit(workspace, quota);
    return workspace;
  }

  /** The workspace of the body, else the caller's default one. The caller must have the right to create such records there. */
  async resolve(
    actor: Actor,
    { workspace_id, organization_id }: PlacementInput,
    create: Operation,
  ): Promise<Workspace> {
    const workspace = workspace_id
      ? await this.getInOrganization(actor, workspace_id, organization_id)
      : await this.personal.getOrCreate(actor, (await this.organizations.resolve(actor, organization_id)).id);
    return this.assertMayCreate(actor, workspace, create);
  }

  /** As `resolve`, for what is not stored: a default workspace that does not exist yet is proposed and not created. */
  async propose(
    actor: Actor,
    input: PlacementInput,
    create: Operation,
  ): Promise<{ workspace: Workspace; isProposed: boolean }> {
    if (input.workspace_id) return { workspace: await this.resolve(actor, input, create), isProposed: false };
    const { id } = await this.organizations.resolve(actor, input.organization_id);
    const existing = await this.personal.find(actor, id);
    if (existing) return { workspace: await this.assertMayCreate(actor, existing, create), isProposed: false };
    assertScope(actor, create);
    return { workspace: this.personal.propose(actor, id), isProposed: true };
  }

  private async assertMayCreate(actor: Actor, workspace: Workspace, create: Operation): Promise<Workspace> {
    const { id, organizationId } = workspace;
    await this.access.authorize(actor, create, { type: 'workspace', id, organizationId });
    workspace.assertActive();
    return workspace;
  }

  /** @throws NotFound also when the workspace belongs to another organization than the named one */
  private async getInOrganization(actor: Actor, id: string, organizationId: string | undefined): Promise<Workspace> {
    const workspace = await this.workspaces.get(actor, id);
    if (organizationId && organizationId.toLowerCase() !== workspace.organizationId)
      throw new NotFound('workspace', id);
    return workspace;
  }
}
