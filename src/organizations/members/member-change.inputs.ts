import { InputForms } from '../../core/schema/field-examples.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { UpdatesView } from '../../core/rest/read-only-fields.js';
import { WordInput } from '../../core/schema/input-fields.js';
import { ORGANIZATION_ROLES, type OrganizationRole } from '../memberships/member.view.js';
import { AddedMemberView } from './added-member.view.js';

/** The answer that added a member can be sent back as well. */
@UpdatesView(() => AddedMemberView)
@InputForms({ example: { role: 'admin' } })
export class MemberChange extends UpdateInput {
  @WordInput(ORGANIZATION_ROLES)
  role!: OrganizationRole;
}
