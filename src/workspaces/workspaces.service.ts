import { Injectable } from '@nestjs/common';
import { Access } from '../core/authorization/access.service.js';
import { assertScope } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { type OrganizationListQuery, OrganizationQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { RecordGate } from '../core/records/record-gate.js';
import { Precondition } from '../core/rest/precondition.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { WorkspaceMembersStore } from './grants/workspace-members.store.js';
import { Workspace } from './workspace.entity.js';
import {
  WorkspaceArchived,
  WorkspaceCreated,
  WorkspaceDeleted,
  WorkspaceRestored,
  WorkspaceUpdated,
} from './workspace.events.js';
import type { NewWorkspace, WorkspaceChange } from './workspace.inputs.js';
import { OPERATIONS_ON_ARCHIVED, workspacePolicy } from './workspace.policy.js';
import { WorkspaceView } from './workspace.view.js';
import { WorkspacesStore } from './workspaces.store.js';

/** The fields of a workspace that its members may read. */
type ReadOperation = 'read' | 'readMembers' | 'readQuotas';

/** Workspace records; each change is published as an event. */
@Injectable()
export class WorkspacesService extends RecordGate<Workspace, typeof workspacePolicy> {
  constructor(
    private readonly workspaces: WorkspacesStore,
    private readonly members: WorkspaceMembersStore,
    private readonly organizations: OrganizationsService,
    access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {
    super(access, {
      name: 'workspace',
      policy: workspacePolicy,
      store: workspaces,
      getProtectedRecord: ({ id, organizationId }) => ({ type: 'workspace', id, organizationId }),
      toView: WorkspaceView.fromEntity,
    });
  }

  async list(actor: Actor, query: OrganizationListQuery): Promise<Page<Workspace>> {
    assertScope(actor, workspacePolicy.read);
    const organization = await this.organizations.resolve(actor, query.organization_id);
    return this.workspaces.page(actor, organization.id, query);
  }

  /** @throws NotFound when no such workspace is visible to the actor */
  override async get(
    actor: Actor,
    id: string,
    operation: ReadOperation = 'read',
    within = new OrganizationQuery(),
  ): Promise<Workspace> {
    assertScope(actor, workspacePolicy[operation]);
    return this.orNotFound(id, within.keepIfInOrganization(await this.workspaces.find(actor, id)));
  }

  /** The user who creates a workspace becomes its admin. */
  async create(actor: Actor, input: NewWorkspace): Promise<Workspace> {
    const { id } = await this.organizations.resolve(actor, input.organization_id);
    await this.access.authorize(actor, workspacePolicy.create, { type: 'organization', id, organizationId: id });
    return this.insert(actor, Workspace.create(actor, input));
  }

  /** Inserts a workspace, whose owner becomes its admin. */
  insert(actor: Actor, workspace: Workspace): Promise<Workspace> {
    return this.unit.run(async () => {
      await this.workspaces.insert(workspace);
      await this.unit.runAsSystem('the first admin', () =>
        this.members.setRole(workspace.id, workspace.owner, 'admin'),
      );
      await this.events.publish(new WorkspaceCreated(actor, workspace));
      return workspace;
    });
  }

  async update(actor: Actor, id: string, input: WorkspaceChange, match: Precondition): Promise<Workspace> {
    return this.unit.run(async () => {
      const workspace = await this.getForChange(actor, id, input, match);
      if (this.workspaces.changeAtCommit(workspace, input.fields()))
        await this.events.publish(new WorkspaceUpdated(actor, workspace));
      return workspace;
    });
  }

  /** Archives a workspace, which becomes read-only; members lose access until it is restored. Has no effect on an archived one. */
  async archive(actor: Actor, id: string): Promise<Workspace> {
    return this.unit.run(async () => {
      const workspace = await this.getForUpdate(actor, id, 'archive', Precondition.none);
      if (workspace.status === 'archived') return workspace;
      await this.assertNotPersonal(workspace, 'archived');
      await this.workspaces.update(workspace, { status: 'archived' });
      await this.events.publish(new WorkspaceArchived(actor, workspace));
      return workspace;
    });
  }

  /** Restores an archived or deleted workspace with its records, as active. Has no effect on an active one. */
  async restore(actor: Actor, id: string): Promise<Workspace> {
    return this.unit.run(async () => {
      const workspace = await this.getForRestore(actor, id);
      const { deletedAt, status } = workspace;
      if (!deletedAt && status === 'active') return workspace;
      const personalOf = deletedAt && (await this.hasOtherPersonal(workspace)) ? null : workspace.personalOf;
      await this.workspaces.update(workspace, { status: 'active', deletedAt: null, personalOf });
      await this.events.publish(new WorkspaceRestored(actor, workspace, deletedAt));
      return workspace;
    });
  }

  /** Deletes a workspace; its designs and mappings are hidden, and restored with it. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<Workspace> {
    return this.unit.run(async () => {
      const workspace = await this.getForUpdate(actor, id, 'delete', match);
      await this.assertNotPersonal(workspace, 'deleted');
      await this.workspaces.softDelete(workspace);
      await this.events.publish(new WorkspaceDeleted(actor, workspace));
      return workspace;
    });
  }

  /**
   * Locks an active workspace until the end of the transaction.
   * @throws NotFound, or Conflict WORKSPACE_ARCHIVED
   */
  async lockActive(actor: Actor, id: string): Promise<Workspace> {
    const workspace = this.orNotFound(id, await this.workspaces.lock(actor, id));
    workspace.assertActive();
    return workspace;
  }

  /** As `lockActive`, for several workspaces in a fixed order to prevent deadlocks. */
  async lockAllActive(actor: Actor, ids: string[]): Promise<Map<string, Workspace>> {
    const held = new Map((await this.workspaces.lockAll(actor, ids)).map((workspace) => [workspace.id, workspace]));
    for (const id of ids) this.orNotFound(id, held.get(id) ?? null).assertActive();
    return held;
  }

  /** Refuses changes of an archived workspace, which is read-only. @throws Conflict WORKSPACE_ARCHIVED */
  override async getForUpdate(
    actor: Actor,
    id: string,
    operation: keyof typeof workspacePolicy,
    match: Precondition,
  ): Promise<Workspace> {
    const workspace = await super.getForUpdate(actor, id, operation, match);
    if (!OPERATIONS_ON_ARCHIVED.includes(workspacePolicy[operation])) workspace.assertActive();
    return workspace;
  }

  private async hasOtherPersonal({ organizationId, personalOf }: Workspace): Promise<boolean> {
    return personalOf !== null && (await this.workspaces.findPersonal(organizationId, personalOf)) !== null;
  }

  private async assertNotPersonal(workspace: Workspace, verb: string): Promise<void> {
    if (!(await this.members.isDefaultOfMember(workspace.organizationId, workspace.personalOf))) return;
    throw new Conflict('DEFAULT_WORKSPACE', `the default workspace of a member cannot be ${verb}`, {
      remedy: 'Move what is in it to another workspace, or remove the member from the organization first.',
    });
  }
}
