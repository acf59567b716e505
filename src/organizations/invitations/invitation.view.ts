import { PaginatedView } from '../../core/listing/page.js';
import { IdField, RecordField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import { ORGANIZATION_ROLES, toOrganizationRole, type OrganizationRole } from '../memberships/member.view.js';
import { DELIVERY_STATUSES, type DeliveryStatus, type Invitation } from './invitation.entity.js';

/** What became of the email of an invitation. */
export class InvitationDelivery {
  @WordField(DELIVERY_STATUSES, {
    description:
      '`sent`: the mail server took it. `deferred`: not yet, it is tried again. `failed`: it was refused, or tried too often.',
  })
  status!: DeliveryStatus;

  @TextField({ nullable: true, description: 'What the mail server said when it did not take the email.' })
  reason!: string | null;

  @TimeField({ description: 'When it was last tried.' })
  at!: Date;

  static fromEntity({ deliveryStatus, deliveryReason, deliveryAt }: Invitation): InvitationDelivery | null {
    if (!deliveryStatus || !deliveryAt) return null;
    return Object.assign(new InvitationDelivery(), { status: deliveryStatus, reason: deliveryReason, at: deliveryAt });
  }
}

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

  @RecordField(() => InvitationDelivery, {
    nullable: true,
    description: 'The delivery of the email: null before the first attempt, and where no mail is sent.',
  })
  delivery!: InvitationDelivery | null;

  static fromEntity(this: void, invitation: Invitation): InvitationView {
    return RecordView.assignRecord(new InvitationView(), invitation, {
      organization_id: invitation.organizationId,
      email: invitation.email,
      role: toOrganizationRole(invitation.role),
      expires_at: invitation.expiresAt,
      delivery: InvitationDelivery.fromEntity(invitation),
    });
  }
}

export const InvitationPage = PaginatedView(InvitationView, 'invitations', 'InvitationPage');
