import { PaginatedView } from '../../core/listing/page.js';
import { IdField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import { ORGANIZATION_ROLES, toOrganizationRole, type OrganizationRole } from '../memberships/member.view.js';
import type { Invitation } from './invitation.entity.js';

/** An invitation without its token, for the admins of the organization and the invited user. */
export class InvitationView extends RecordView {
  @IdField()
  organization_id!: string;

  @TextField()
  email!: string;

  @WordField(ORGANIZATION_ROLES)
  role!: OrganizationRole;

  @TimeField()
  expires_at!: Date;

  static fromEntity(this: void, invitation: Invitation): InvitationView {
    return RecordView.assignRecord(new InvitationView(), invitation, {
      organization_id: invitation.organizationId,
      email: invitation.email,
      role: toOrganizationRole(invitation.role),
      expires_at: invitation.expiresAt,
    });
  }
}

export const InvitationPage = PaginatedView(InvitationView, 'invitations', 'InvitationPage');
