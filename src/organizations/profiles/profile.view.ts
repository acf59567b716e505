import { ObjectType } from '@nestjs/graphql';
import { FlagField, IdField, RecordField, RecordsField, TextField, WordField } from '../../core/schema/view-fields.js';
import { withRevision } from '../../core/schema/record.view.js';
import { ORGANIZATION_ROLES, toOrganizationRole, type OrganizationRole } from '../memberships/member.view.js';
import type { User } from '../users/user.entity.js';

@ObjectType('Membership', { description: 'An organization of the user, and their role in it.' })
export class MembershipView {
  @IdField()
  id!: string;

  @TextField()
  name!: string;

  @WordField(ORGANIZATION_ROLES)
  role!: OrganizationRole;
}

@ObjectType('Identity', { description: 'The user of an OpenID Connect issuer, whose tokens act as the account.' })
export class IdentityView {
  @TextField({ description: 'The address of the issuer, as its tokens have it in the claim `iss`.' })
  issuer!: string;

  @TextField({ description: 'What the issuer calls its user: the claim `sub`.' })
  subject!: string;
}

/** The caller's own account. */
@ObjectType('Profile', { description: 'The caller.' })
export class ProfileView {
  @IdField()
  id!: string;

  @TextField()
  email!: string;

  @TextField({ nullable: true })
  first_name!: string;

  @TextField({ nullable: true })
  last_name!: string;

  @FlagField()
  installation_admin!: boolean;

  @IdField({ nullable: true })
  default_organization_id!: string | null;

  @RecordField(() => IdentityView, {
    nullable: true,
    description:
      'The user of the OpenID Connect issuer that signs in to the account; null when only the password does.',
  })
  identity!: IdentityView | null;

  @RecordsField(() => MembershipView, { description: 'The organizations of the user.' })
  organizations!: MembershipView[];

  static fromEntity(this: void, user: User, memberships: { id: string; name: string; role: number }[]): ProfileView {
    const { issuer, subject } = user;
    return Object.assign(withRevision(new ProfileView(), user), {
      id: user.id,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      installation_admin: user.installationAdmin,
      default_organization_id: memberships.some(({ id }) => id === user.defaultOrganizationId)
        ? user.defaultOrganizationId
        : null,
      identity: issuer === null || subject === null ? null : Object.assign(new IdentityView(), { issuer, subject }),
      organizations: memberships.map(({ id, name, role }) => ({ id, name, role: toOrganizationRole(role) })),
    });
  }
}
