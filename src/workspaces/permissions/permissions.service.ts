import { Injectable } from '@nestjs/common';
import { Access, refusalOf } from '../../core/access/access.js';
import type { Actor } from '../../core/access/actor.js';
import { type Operation, operations } from '../../core/access/policy.js';
import { atLeast, rank, type Role, roleOf } from '../../core/access/roles.js';
import { workspaceRole } from '../members/workspace-grant.js';
import { type Administrator, WorkspaceMembersStore } from '../members/workspace-members.store.js';
import type { Workspace } from '../workspace.entity.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import type { PermissionsView, PermissionView } from './permissions.view.js';

/** What is still done with an archived workspace. */
const OF_ARCHIVED: Operation[] = [workspacePolicy.archive, workspacePolicy.restore, workspacePolicy.delete];

/** Tells from the table of operations, the one that services ask, what a caller may do in a workspace. */
@Injectable()
export class PermissionsService {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly members: WorkspaceMembersStore,
    private readonly access: Access,
  ) {}

  async of(actor: Actor, workspaceId: string): Promise<PermissionsView> {
    const workspace = await this.workspaces.get(actor, workspaceId);
    const { id, organizationId } = workspace;
    const role = await this.access.roleOn(actor, { type: 'workspace', id, organizationId });
    const administrators = (await this.members.administrators(workspace)).filter((each) => each.id !== actor.userId);
    const permissions = operations()
      .filter(({ inWorkspace }) => inWorkspace)
      .map((operation) => judge(actor, role, operation, workspace, administrators));
    return { role: workspaceRole(rank(role)), permissions };
  }
}

/** A scope that is missing nobody else can grant: the caller takes another token. */
function judge(
  actor: Actor,
  role: Role,
  operation: Operation,
  workspace: Workspace,
  administrators: Administrator[],
): PermissionView {
  const told = (reason: string | null, least: Role | null): PermissionView => ({
    operation: operation.name,
    allowed: reason === null,
    reason,
    granted_by: administrators
      .filter((each) => least !== null && atLeast(roleOf(each.role), least))
      .map(({ id, email, name }) => ({ user_id: id, email, name })),
  });
  const refusal = refusalOf(actor, operation, role);
  if (refusal) return told(refusal.message, atLeast(role, operation.needs) ? null : grantor(operation));
  const closed = workspace.status === 'archived' && operation.scope !== 'read' && !OF_ARCHIVED.includes(operation);
  return closed ? told('the workspace is archived', 'admin') : told(null, null);
}

/** Admins of a workspace grant roles in it; only admins of the organization make others that, and only owners make owners. */
const grantor = ({ needs }: Operation): Role => (atLeast(needs, 'admin') ? needs : 'admin');
