import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { hashPassword } from '../../core/crypto/password-hashing.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Precondition } from '../../core/rest/precondition.js';
import { assertReadOnlyUnchanged } from '../../core/rest/read-only-fields.js';
import type { RecordAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { type IssuedInvitation, InvitationsService } from '../invitations/invitations.service.js';
import type { Organization } from '../organization.entity.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { AccountsService } from '../users/accounts.service.js';
import { hasPlaceholder, type User } from '../users/user.entity.js';
import {
  OrganizationMemberAdded,
  OrganizationMemberRemoved,
  OrganizationMemberRoleChanged,
} from '../memberships/member.events.js';
import type { NewMember } from '../memberships/member.inputs.js';
import { type AddedMember, AddedMemberView } from './added-member.view.js';
import type { MemberChange } from './member-change.inputs.js';
import {
  type Member,
  memberRevision,
  toOrganizationRole,
  type OrganizationRole,
  accountStateOf,
} from '../memberships/member.view.js';
import { MembersStore } from '../memberships/members.store.js';

/** Only owners may appoint owners. */
const operationFor = (role: OrganizationRole) => (role === 'owner' ? 'nameOwners' : 'manageMembers');

/** The members of an organization and their roles. */
@Injectable()
export class MembersService implements RecordAuthorizer {
  constructor(
    private readonly members: MembersStore,
    private readonly accounts: AccountsService,
    private readonly invitations: InvitationsService,
    private readonly organizations: OrganizationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Lists the members of an organization, of the caller's own when none is named; admins get additional fields. */
  async list(
    actor: Actor,
    organizationId: string | undefined,
    query: ListQuery,
  ): Promise<{ page: Page<Member>; forAdmin: boolean }> {
    const { id } = await this.organizations.resolve(actor, organizationId);
    const page = await this.members.page(id, query);
    return { page, forAdmin: await this.organizations.isAllowed(actor, 'manageMembers', id) };
  }

  /** Returns one member; admins get additional fields. */
  async get(actor: Actor, organizationId: string, userId: string): Promise<{ member: Member; forAdmin: boolean }> {
    await this.organizations.get(actor, organizationId);
    const member = await this.getMember(organizationId, userId);
    return { member, forAdmin: await this.organizations.isAllowed(actor, 'manageMembers', organizationId) };
  }

  /**
   * Creates an account for the address with the password and adds it. For an address without a password, or with an existing
   * account, an invitation is created, unless the actor may add the account at once.
   */
  async add(actor: Actor, organizationId: string, input: NewMember): Promise<AddedMember | IssuedInvitation> {
    await this.organizations.getAuthorized(actor, organizationId, operationFor(input.role));
    const { email } = input;
    if (input.user_id !== undefined) return this.addUser(actor, organizationId, input, input.user_id);
    if (email === undefined) throw InvalidRequest.forField('/email', 'is required', 'Send email, or user_id.');
    const passwordHash = input.password === undefined ? null : await hashPassword(input.password, email);
    return this.unit.run(async () => {
      const organization = await this.getOrganizationForUpdate(actor, organizationId, input.role);
      const known = await this.accounts.reserve(email);
      if (known) await this.assertNoMember(organizationId, known);
      if (known ? !(await this.canAddDirectly(actor, known)) : passwordHash === null)
        return this.invitations.invite(actor, organization, { ...input, email }, accountStateOf(known));
      const { first_name: firstName, last_name: lastName } = input;
      const account = { email, firstName, lastName, passwordHash, unconfirmedBy: actor.userId };
      const user = known ?? (await this.accounts.create(account, actor));
      await this.invitations.withdrawByEmail(organizationId, user.email);
      return this.insert(actor, organizationId, user, input.role);
    });
  }

  /**
   * Adds a user of the issuer whose address is not verified, and who can be named by the id alone. Any other account is found by its
   * address, so that an id reveals nothing about it.
   */
  private addUser(actor: Actor, organizationId: string, input: NewMember, userId: string): Promise<AddedMember> {
    const other = (['email', 'password', 'first_name', 'last_name'] as const).find((name) => input[name] !== undefined);
    if (other) throw InvalidRequest.forField(`/${other}`, 'cannot be combined with user_id');
    return this.unit.run(async () => {
      await this.getOrganizationForUpdate(actor, organizationId, input.role);
      const user = await this.accounts.findById(userId);
      if (!user || user.deactivatedAt !== null || !hasPlaceholder(user)) throw new NotFound('user', userId);
      await this.assertNoMember(organizationId, user);
      return this.insert(actor, organizationId, user, input.role);
    });
  }

  private async insert(actor: Actor, organizationId: string, user: User, role: OrganizationRole): Promise<AddedMember> {
    await this.members.setRole(organizationId, user.id, role);
    const added = this.asAdded(await this.getMember(organizationId, user.id));
    await this.events.publish(new OrganizationMemberAdded(actor, organizationId, user, role, added.account));
    return added;
  }

  private async assertNoMember(organizationId: string, { id, email }: User): Promise<void> {
    if (!(await this.members.find(organizationId, id))) return;
    throw new Conflict('ALREADY_MEMBER', `${email} is a member of this organization already`, {
      remedy: `Change the role with PUT /api/identity/orgs/${organizationId}/users/${id}.`,
    });
  }

  private asAdded(member: Member): AddedMember {
    return { member, account: accountStateOf(member), confirmation: this.accounts.confirmationHint(member) };
  }

  /** An account whose password another user may know can be added to further organizations only by that user. */
  private async canAddDirectly(actor: Actor, known: User): Promise<boolean> {
    if (known.unconfirmedBy) return known.unconfirmedBy === actor.userId;
    return actor.installationAdmin || this.members.administersAll(actor.userId, known.id);
  }

  async changeRole(
    actor: Actor,
    organizationId: string,
    userId: string,
    input: MemberChange,
    match: Precondition,
  ): Promise<Member> {
    const { role } = input;
    return this.unit.run(async () => {
      const organization = await this.getOrganizationForUpdate(actor, organizationId, role);
      const member = await this.getMember(organizationId, userId);
      match.assertMatches(memberRevision(member));
      assertReadOnlyUnchanged(input, AddedMemberView.fromAdded(this.asAdded(member)));
      await this.assertMayChangeOwner(actor, organization, member);
      if (toOrganizationRole(member.membership.role) === role) return member;
      if (member.kind === 'service' && role === 'owner')
        throw InvalidRequest.forField('/role', 'must be admin or member for a service account');
      await this.assertOwnerRemains(organizationId, member);
      await this.members.setRole(organizationId, userId, role);
      await this.events.publish(new OrganizationMemberRoleChanged(actor, organizationId, member, role));
      return this.getMember(organizationId, userId);
    });
  }

  /** Allows members to remove themselves; removing others requires the right to manage members. */
  authorize(actor: Actor, operation: Operation, organizationId: string, userId: string): Promise<void> {
    const isRemoval = operation === organizationPolicy.leave && actor.userId !== userId;
    return this.organizations.authorize(
      actor,
      isRemoval ? organizationPolicy.manageMembers : operation,
      organizationId,
    );
  }

  /** Removes a member. Their records stay with the organization. */
  async remove(actor: Actor, organizationId: string, userId: string, match: Precondition): Promise<Member> {
    const leaving = actor.userId === userId;
    // A user who has left can no longer publish events of the organization, so the system publishes.
    const run = <T>(work: () => Promise<T>): Promise<T> =>
      leaving ? this.unit.runAsSystem('leaving', () => this.unit.run(work)) : this.unit.run(work);
    return run(async () => {
      const operation = leaving ? 'leave' : 'manageMembers';
      const organization = await this.organizations.getForUpdate(actor, organizationId, operation, Precondition.none);
      const member = await this.getMember(organizationId, userId);
      match.assertMatches(memberRevision(member));
      if (member.kind === 'service')
        throw new Conflict('SERVICE_ACCOUNT', 'a service account cannot leave its organization', {
          remedy: `Delete it: DELETE /api/identity/orgs/${organizationId}/service-accounts/${userId}.`,
        });
      if (!leaving) await this.assertMayChangeOwner(actor, organization, member);
      await this.assertOwnerRemains(organizationId, member);
      await this.members.remove(organizationId, userId);
      await this.events.publish(new OrganizationMemberRemoved(actor, organizationId, member, null));
      return member;
    });
  }

  /** @throws NotFound when the user is not a member */
  async getMember(organizationId: string, userId: string): Promise<Member> {
    const member = await this.members.find(organizationId, userId);
    if (!member) throw new NotFound('user', userId);
    return member;
  }

  private getOrganizationForUpdate(actor: Actor, organizationId: string, role: OrganizationRole) {
    return this.organizations.getForUpdate(actor, organizationId, operationFor(role), Precondition.none);
  }

  private async assertMayChangeOwner(actor: Actor, organization: Organization, member: Member): Promise<void> {
    if (toOrganizationRole(member.membership.role) !== 'owner') return;
    await this.organizations.requireAccess(actor, 'nameOwners', organization);
  }

  private async assertOwnerRemains(organizationId: string, member: Member): Promise<void> {
    if (toOrganizationRole(member.membership.role) !== 'owner') return;
    const owners = await this.members.lockActiveOwners(organizationId);
    if (owners.some((id) => id !== member.id)) return;
    throw new Conflict('LAST_OWNER', 'this would leave the organization without an owner', {
      remedy: 'Make someone else an owner first.',
    });
  }
}
