import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { WorkspaceMembersStore } from '../grants/workspace-members.store.js';
import { Workspace } from '../workspace.entity.js';
import { WorkspaceRestored } from '../workspace.events.js';
import { WorkspacesService } from '../workspaces.service.js';
import { WorkspacesStore } from '../workspaces.store.js';

const DEFAULT_NAME = 'Personal workspace';

/** The default workspaces of members. Each member has one in each organization, created when it is first needed. */
@Injectable()
export class PersonalWorkspacesService {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly store: WorkspacesStore,
    private readonly members: WorkspaceMembersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * The default workspace of a user (by default the actor) in an organization.
   * @throws Conflict NOT_A_MEMBER when the user has none and is no longer in the organization
   */
  async getOrCreate(actor: Actor, organizationId: string, userId = actor.userId): Promise<Workspace> {
    if (!userId) throw new Error('the system has no default workspace');
    const existing = await this.store.findPersonal(organizationId, userId);
    if (existing) return existing;
    return this.unit.run(async () => {
      if (!(await this.members.lockMembership(organizationId, userId)))
        throw new Conflict('NOT_A_MEMBER', 'the user has no default workspace, and is no longer in the organization', {
          remedy: 'Choose a workspace: send workspace_id.',
        });
      const created = await this.store.findPersonal(organizationId, userId);
      return created ?? this.create(actor, organizationId, userId, DEFAULT_NAME);
    });
  }

  /** The default workspace of the actor, if it has been created. */
  async find({ userId }: Actor, organizationId: string): Promise<Workspace | null> {
    return userId ? this.store.findPersonal(organizationId, userId) : null;
  }

  create(actor: Actor, organizationId: string, userId: string, name: string): Promise<Workspace> {
    return this.workspaces.insert(actor, this.make(actor, organizationId, userId, name));
  }

  /** The default workspace of the actor as it would be created. */
  propose(actor: Actor, organizationId: string): Workspace {
    return this.make(actor, organizationId, actor.userId ?? '', DEFAULT_NAME);
  }

  private make(actor: Actor, organizationId: string, userId: string, name: string): Workspace {
    const workspace = Workspace.create(actor, { name, organization_id: organizationId });
    return Object.assign(workspace, { owner: userId, personalOf: userId });
  }

  /** Restores the default workspace of a user who rejoins an organization, active and with the user as its admin. */
  async restore(actor: Actor, organizationId: string, userId: string): Promise<void> {
    const workspace = await this.store.findPersonal(organizationId, userId);
    if (!workspace) return;
    await this.members.setRole(workspace.id, userId, 'admin');
    if (workspace.status === 'active') return;
    await this.store.update(workspace, { status: 'active' });
    await this.events.publish(new WorkspaceRestored(actor, workspace, null));
  }
}
