import { TextField, TimeField } from '../../core/schema/fields.js';
import type { Invited } from '../invitations/invitations.service.js';
import { type Member, MemberView, organizationRole } from './member.view.js';

/** Whom a call added: a member, or someone who was invited and becomes one by accepting. */
export class AddedMemberView extends MemberView {
  @TextField({ nullable: true, rest: true, description: 'Shown only here; whoever has it can accept the invitation.' })
  invitation_url?: string;

  @TimeField({ nullable: true, rest: true, description: 'Until when the invitation can be accepted.' })
  invitation_expires_at?: Date;

  static ofAdded(this: void, added: Member | Invited): AddedMemberView {
    if (!('invitation' in added)) return Object.assign(new AddedMemberView(), MemberView.of(added));
    const { invitation, url } = added;
    return Object.assign(new AddedMemberView(), {
      id: invitation.id,
      kind: 'person',
      email: invitation.email,
      first_name: invitation.firstName,
      last_name: invitation.lastName,
      role: organizationRole(invitation.role),
      active: false,
      created_at: invitation.createdAt,
      updated_at: invitation.updatedAt,
      invitation_url: url,
      invitation_expires_at: invitation.expiresAt,
    });
  }
}
