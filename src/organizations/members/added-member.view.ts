import { TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import type { IssuedInvitation } from '../invitations/invitations.service.js';
import { withRevision } from '../../core/schema/record.view.js';
import {
  ACCOUNT_STATES,
  type AccountState,
  type Member,
  memberRevision,
  MemberView,
  toOrganizationRole,
} from '../memberships/member.view.js';

/** A member, as shown to the admin who added them. */
export interface AddedMember {
  member: Member;
  account: AccountState;
  /** How the owner of the address confirms the account; null when nothing needs confirmation. */
  confirmation: string | null;
}

/** The result of adding a member: a new member, or an invited user who becomes one by accepting. */
export class AddedMemberView extends MemberView {
  @WordField(ACCOUNT_STATES, {
    description:
      'The account of the address before this call: none, a confirmed one, or one whose password another user chose.',
  })
  account!: AccountState;

  @TextField({ optional: true, rest: true, description: 'How the owner of the address confirms the account.' })
  confirmation?: string;

  @TextField({
    optional: true,
    rest: true,
    description: 'Shown only here; anyone who has it can accept the invitation.',
  })
  invitation_url?: string;

  @TimeField({ optional: true, rest: true, description: 'Until when the invitation can be accepted.' })
  invitation_expires_at?: Date;

  static fromAdded(this: void, added: AddedMember | IssuedInvitation): AddedMemberView {
    if ('member' in added) {
      const { member, account, confirmation } = added;
      const fields = { ...MemberView.fromEntityForAdmin(member), account };
      const view = Object.assign(withRevision(new AddedMemberView(), memberRevision(member)), fields);
      return confirmation === null ? view : Object.assign(view, { confirmation });
    }
    const { invitation, url, account } = added;
    return Object.assign(withRevision(new AddedMemberView(), invitation), {
      id: invitation.id,
      kind: 'person',
      email: invitation.email,
      first_name: invitation.firstName,
      last_name: invitation.lastName,
      role: toOrganizationRole(invitation.role),
      active: false,
      unconfirmed: account === 'unconfirmed',
      account,
      created_at: invitation.createdAt,
      updated_at: invitation.updatedAt,
      invitation_url: url,
      invitation_expires_at: invitation.expiresAt,
    });
  }
}
