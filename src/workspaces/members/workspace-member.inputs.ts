import { InputForms } from '../../core/schema/field-examples.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { UpdatesView } from '../../core/rest/read-only-fields.js';
import { WordInput } from '../../core/schema/input-fields.js';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../grants/workspace-grant.js';
import { WorkspaceMemberView } from './workspace-member.view.js';

/** The role that is granted to a user. */
@UpdatesView(() => WorkspaceMemberView)
@InputForms({ example: { role: 'editor' } })
export class WorkspaceMemberChange extends UpdateInput {
  @WordInput(WORKSPACE_ROLES)
  role!: WorkspaceRole;
}
