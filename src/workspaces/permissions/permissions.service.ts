import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import { permissionError } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { type Operation, declaredOperations } from '../../core/access/policy.js';
import { isRoleAtLeast, roleRank, type Role, roleFromRank } from '../../core/access/roles.js';
import { toWorkspaceRole } from '../grants/workspace-grant.js';
import { type WorkspaceAdministrator, WorkspaceMembersStore } from '../grants/workspace-members.store.js';
import type { Workspace } from '../workspace.entity.js';
import { OPERATIONS_ON_ARCHIVED, workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import type { PermissionsView, PermissionView } from './permissions.view.js';

/** Reports what a caller may do in a workspace, from the same policies that the services use. */
@Injectable()
export class PermissionsService {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly members: WorkspaceMembersStore,
    private readonly access: Access,
  ) {}

  async get(actor: Actor, workspaceId: string): Promise<PermissionsView> {
    const workspace = await this.workspaces.get(actor, workspaceId);
    const { id, organizationId } = workspace;
    const role = await this.access.roleOn(actor, { type: 'workspace', id, organizationId });
    const administrators = (await this.members.findAdministrators(workspace)).filter(
      (each) => each.id !== actor.userId,
    );
    const isDefault = await this.members.isDefaultOfMember(workspace.organizationId, workspace.personalOf);
    const own = actor.userId === null ? null : await this.members.find(id, actor.userId);
    const circumstances = { workspace, isDefault, isGranted: own !== null && own.granted !== null };
    const permissions = declaredOperations()
      .filter(({ inWorkspace }) => inWorkspace)
      .map((operation) => toPermission(actor, role, operation, circumstances, administrators));
    return { role: toWorkspaceRole(roleRank(role)), permissions };
  }
}

/** What permissions depend on besides the role. */
interface Circumstances {
  workspace: Workspace;
  /** The workspace is the default one of a member. */
  isDefault: boolean;
  /** The caller has a role of their own, not only through teams. */
  isGranted: boolean;
}

const NOT_ON_DEFAULT: ReadonlySet<Operation> = new Set([workspacePolicy.archive, workspacePolicy.delete]);
const IS_DEFAULT = 'the default workspace of a member can be neither archived nor deleted';

const NOTHING_TO_LEAVE = 'no role in this workspace is granted to you: yours comes from a team or the organization';
const IS_PERSONAL = 'users cannot leave their personal workspace';

/** No other user can grant a missing scope; the caller has to use another token. */
function toPermission(
  actor: Actor,
  role: Role,
  operation: Operation,
  { workspace, isDefault, isGranted }: Circumstances,
  administrators: WorkspaceAdministrator[],
): PermissionView {
  const toView = (reason: string | null, least: Role | null): PermissionView => ({
    operation: operation.name,
    allowed: reason === null,
    reason,
    granted_by: administrators
      .filter((each) => least !== null && isRoleAtLeast(roleFromRank(each.role), least))
      .map(({ id, email, name }) => ({ user_id: id, email, name })),
  });
  const refusal = permissionError(actor, operation, role);
  if (refusal) return toView(refusal.message, isRoleAtLeast(role, operation.needs) ? null : grantorRole(operation));
  if (operation === workspacePolicy.leave) {
    if (!isGranted) return toView(NOTHING_TO_LEAVE, null);
    if (workspace.personalOf === actor.userId) return toView(IS_PERSONAL, null);
  }
  // Nobody can grant this while the user is a member.
  if (isDefault && NOT_ON_DEFAULT.has(operation)) return toView(IS_DEFAULT, null);
  const closed =
    workspace.status === 'archived' && operation.scope !== 'read' && !OPERATIONS_ON_ARCHIVED.includes(operation);
  return closed ? toView('the workspace is archived', 'admin') : toView(null, null);
}

/** Admins of a workspace grant roles in it; only admins of the organization appoint admins of the organization, and only owners appoint owners. */
const grantorRole = ({ needs }: Operation): Role => (isRoleAtLeast(needs, 'admin') ? needs : 'admin');
