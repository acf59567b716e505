import { roleRank } from '../../core/access/roles.js';
import { PaginatedView } from '../../core/listing/page.js';
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

/** The account of an address, as shown to an inviter: none before, one of its owner, or one whose password another user chose. */
export const ACCOUNT_STANDINGS = ['new', 'existing', 'unconfirmed'] as const;
export type AccountStanding = (typeof ACCOUNT_STANDINGS)[number];

export const accountStandingOf = (user: User | null): AccountStanding => {
  if (!user) return 'new';
  return user.unconfirmedBy ? 'unconfirmed' : 'existing';
};

/** A user as a member of one organization. */
export type Member = User & { membership: OrganizationMember };

/** The fields of a member that can change: the account, and the role. */
export const memberRevision = ({ id, revision, membership }: Member) => ({
  id: [membership.organizationId, id],
  revision: `${revision}.${membership.role}`,
});

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
}

export const MemberPage = PaginatedView(MemberView, 'users', 'MemberPage');
