import { PaginatedView } from '../../core/listing/page.js';
import { FlagField, IdField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { withRevision } from '../../core/schema/record.view.js';
import { type Member, memberRevision, toOrganizationRole } from '../memberships/member.view.js';

/** A service account cannot be an owner, because it could lock all users out. */
export const SERVICE_ROLES = ['admin', 'member'] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];

/** A service account: a member without a password, which authenticates with its own tokens. */
export class ServiceAccountView {
  @IdField()
  id!: string;

  @TextField()
  name!: string;

  @TextField({ description: 'Its name in events and lists of members; it receives no mail.' })
  email!: string;

  @WordField(SERVICE_ROLES)
  role!: string;

  @IdField()
  organization_id!: string;

  @FlagField()
  active!: boolean;

  @TimeField()
  created_at!: Date;

  @TimeField()
  updated_at!: Date;

  static fromEntity(this: void, member: Member): ServiceAccountView {
    return Object.assign(withRevision(new ServiceAccountView(), memberRevision(member)), {
      id: member.id,
      name: member.firstName,
      email: member.email,
      role: toOrganizationRole(member.membership.role),
      organization_id: member.membership.organizationId,
      active: member.deactivatedAt === null,
      created_at: member.createdAt,
      updated_at: member.updatedAt,
    });
  }
}

export const ServiceAccountPage = PaginatedView(ServiceAccountView, 'service_accounts', 'ServiceAccountPage');
