import { ObjectType } from '@nestjs/graphql';
import { roleRank } from '../../core/access/roles.js';
import { type Page, type PageEnvelope, PaginatedView, toPageEnvelope } from '../../core/listing/page.js';
import { USER_KINDS, type User, type UserKind } from '../users/user.entity.js';
import type { OrganizationMember } from './organization-member.entity.js';
import { withRevision } from '../../core/schema/record.view.js';
import { FlagField, IdField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';

export const ORGANIZATION_ROLES = ['owner', 'admin', 'member'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

/** The rank of an organization role among all roles. */
export const ROLE_RANKS: Record<OrganizationRole, number> = {
  member: roleRank('member'),
  admin: roleRank('organization_admin'),
  owner: roleRank('owner'),
};

export const toOrganizationRole = (value: number): OrganizationRole =>
  ORGANIZATION_ROLES.find((role) => ROLE_RANKS[role] === value) ?? 'member';

/**
 * The state of the account of an address, as shown to an inviter: `new`, there was none; `existing`, its owner knows the password;
 * `unconfirmed`, another user chose the password.
 */
export const ACCOUNT_STATES = ['new', 'existing', 'unconfirmed'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export const accountStateOf = (user: User | null): AccountState => {
  if (!user) return 'new';
  return user.unconfirmedBy ? 'unconfirmed' : 'existing';
};

/** A user as a member of one organization. */
export type Member = User & { membership: OrganizationMember };

/** The fields of a member that can change, for the revision. */
export const memberRevision = ({ id, revision, membership }: Member) => ({
  id: [membership.organizationId, id],
  revision: `${revision}.${membership.role}`,
});

@ObjectType('Member', { description: 'A user as a member of an organization.' })
export class MemberView {
  @IdField()
  id!: string;

  @WordField(USER_KINDS, { description: 'A person, or a service account.' })
  kind!: UserKind;

  @TextField()
  email!: string;

  @TextField({ nullable: true })
  first_name!: string;

  @TextField({ nullable: true })
  last_name!: string;

  @WordField(ORGANIZATION_ROLES)
  role!: OrganizationRole;

  @FlagField({ description: 'False once the account is deactivated, and before an invitation is accepted.' })
  active!: boolean;

  @FlagField({
    optional: true,
    description:
      'Another user chose the password, and the owner of the address has not confirmed the account. Shown to admins.',
  })
  unconfirmed?: boolean;

  @TimeField({ description: 'When they became a member.' })
  created_at!: Date;

  @TimeField()
  updated_at!: Date;

  static fromEntity(this: void, member: Member): MemberView {
    return Object.assign(withRevision(new MemberView(), memberRevision(member)), {
      id: member.id,
      kind: member.kind,
      email: member.email,
      first_name: member.firstName,
      last_name: member.lastName,
      role: toOrganizationRole(member.membership.role),
      active: member.deactivatedAt === null,
      created_at: member.membership.createdAt,
      updated_at: member.updatedAt,
    });
  }

  static fromEntityForAdmin(this: void, member: Member): MemberView {
    return Object.assign(MemberView.fromEntity(member), { unconfirmed: Boolean(member.unconfirmedBy) });
  }

  /** @param list the members, and whether the caller is an admin */
  static toPage(this: void, { page, forAdmin }: { page: Page<Member>; forAdmin: boolean }): PageEnvelope {
    return toPageEnvelope(page, 'users', forAdmin ? MemberView.fromEntityForAdmin : MemberView.fromEntity);
  }
}

export const MemberPage = PaginatedView(MemberView, 'users', 'MemberPage');
