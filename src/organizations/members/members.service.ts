import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { hashPassword } from '../../core/crypto/passwords.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import type { RecordJudge } from '../../core/rest/rights/requires.js';
import { type Invited, InvitationsService } from '../invitations/invitations.service.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { Accounts } from '../users/accounts.js';
import { OrganizationMemberAdded, OrganizationMemberRemoved, OrganizationMemberRoleChanged } from './member.events.js';
import type { NewMember } from './member.inputs.js';
import { type Member, organizationRole, type OrganizationRole } from './member.view.js';
import { MembersStore } from './members.store.js';

/** Who belongs to an organization, and as what. */
@Injectable()
export class MembersService implements RecordJudge {
  constructor(
    private readonly members: MembersStore,
    private readonly accounts: Accounts,
    private readonly invitations: InvitationsService,
    private readonly organizations: OrganizationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, organizationId: string, query: ListQuery): Promise<Page<Member>> {
    await this.organizations.get(actor, organizationId);
    return this.members.page(organizationId, query);
  }

  /** Adds the account of this address; where there is none it is made with the password, or invited without one. */
  async add(actor: Actor, organizationId: string, input: NewMember): Promise<Member | Invited> {
    const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
    return this.unit.run(async () => {
      const organization = await this.open(actor, organizationId, input.role);
      const known = await this.accounts.reserve(input.email);
      if (!known && passwordHash === null) return this.invitations.invite(actor, organization, input);
      const { email, first_name: firstName, last_name: lastName } = input;
      const user = known ?? (await this.accounts.make({ email, firstName, lastName, passwordHash }, actor));
      if (await this.members.find(organizationId, user.id))
        throw new Conflict('ALREADY_MEMBER', `${user.email} is a member of this organization already`);
      await this.members.put(organizationId, user.id, input.role);
      await this.invitations.settle(organizationId, user.email);
      await this.events.publish(new OrganizationMemberAdded(actor, organizationId, user, input.role));
      return this.require(organizationId, user.id);
    });
  }

  async changeRole(actor: Actor, organizationId: string, userId: string, role: OrganizationRole): Promise<Member> {
    return this.unit.run(async () => {
      await this.open(actor, organizationId, role);
      const member = await this.require(organizationId, userId);
      await this.mustNotTouchOwner(actor, organizationId, member);
      if (organizationRole(member.membership.role) === role) return member;
      if (member.kind === 'service' && role === 'owner')
        throw InvalidRequest.at('/role', 'must be admin or member for a service account');
      await this.mustLeaveAnOwner(organizationId, member);
      await this.members.put(organizationId, userId, role);
      await this.events.publish(new OrganizationMemberRoleChanged(actor, organizationId, member, role));
      return this.require(organizationId, userId);
    });
  }

  /** Members may leave by themselves; removing others asks for the right to manage them. */
  authorize(actor: Actor, operation: Operation, organizationId: string, userId: string): Promise<void> {
    const isRemoval = operation === organizationPolicy.leave && actor.userId !== userId;
    return this.organizations.authorize(
      actor,
      isRemoval ? organizationPolicy.manageMembers : operation,
      organizationId,
    );
  }

  /** What they own stays with the organization. */
  async remove(actor: Actor, organizationId: string, userId: string): Promise<Member> {
    return this.unit.run(async () => {
      const leaving = actor.userId === userId;
      await this.organizations.open(actor, organizationId, leaving ? 'leave' : 'manageMembers');
      const member = await this.require(organizationId, userId);
      if (member.kind === 'service')
        throw new Conflict('SERVICE_ACCOUNT', 'a service account cannot leave its organization', {
          remedy: `Delete it: DELETE /api/identity/orgs/${organizationId}/service-accounts/${userId}.`,
        });
      if (!leaving) await this.mustNotTouchOwner(actor, organizationId, member);
      await this.mustLeaveAnOwner(organizationId, member);
      await this.members.remove(organizationId, userId);
      await this.events.publish(new OrganizationMemberRemoved(actor, organizationId, member, null));
      return member;
    });
  }

  /** @throws NotFound when the user is not a member */
  async require(organizationId: string, userId: string): Promise<Member> {
    const member = await this.members.find(organizationId, userId);
    if (!member) throw new NotFound('user', userId);
    return member;
  }

  /** Only owners name owners. */
  private open(actor: Actor, organizationId: string, role: OrganizationRole) {
    return this.organizations.open(actor, organizationId, role === 'owner' ? 'nameOwners' : 'manageMembers');
  }

  private async mustNotTouchOwner(actor: Actor, organizationId: string, member: Member): Promise<void> {
    if (organizationRole(member.membership.role) !== 'owner') return;
    await this.organizations.require(actor, 'nameOwners', organizationId);
  }

  private async mustLeaveAnOwner(organizationId: string, member: Member): Promise<void> {
    if (organizationRole(member.membership.role) !== 'owner') return;
    const owners = await this.members.lockActiveOwners(organizationId);
    if (owners.some((id) => id !== member.id)) return;
    throw new Conflict('LAST_OWNER', 'this would leave the organization without an owner', {
      remedy: 'Make someone else an owner first.',
    });
  }
}
