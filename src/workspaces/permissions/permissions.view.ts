import { FlagField, IdField, RecordsField, TextField, WordField } from '../../core/schema/view-fields.js';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../grants/workspace-grant.js';

export class GrantorView {
  @IdField({ rest: true })
  user_id!: string;

  @TextField({ rest: true })
  email!: string;

  @TextField({ rest: true })
  name!: string;
}

export class PermissionView {
  @TextField({ rest: true })
  operation!: string;

  @FlagField({ rest: true })
  allowed!: boolean;

  @TextField({ rest: true, nullable: true, description: 'Why it is refused.' })
  reason!: string | null;

  @RecordsField(() => GrantorView, { rest: true, description: 'Who could grant it.' })
  granted_by!: GrantorView[];
}

/** What the caller may do in a workspace. */
export class PermissionsView {
  @WordField(WORKSPACE_ROLES, { rest: true })
  role!: WorkspaceRole;

  @RecordsField(() => PermissionView, { rest: true })
  permissions!: PermissionView[];
}
