import { Injectable } from '@nestjs/common';
import { Access } from '../../core/access/access.js';
import type { Actor } from '../../core/access/actor.js';
import { hashPassword, SHORTEST_PASSWORD } from '../../core/crypto/passwords.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, Forbidden, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { User } from '../users/user.entity.js';
import { UsersStore } from '../users/users.store.js';
import { OrganizationMemberAdded, OrganizationMemberRemoved, OrganizationMemberRoleChanged } from './member.events.js';
import type { NewMember } from './member.inputs.js';
import { type Member, organizationRole, type OrganizationRole } from './member.view.js';
import { MembersStore } from './members.store.js';

/** Who belongs to an organization, and as what. */
@Injectable()
export class MembersService {
  constructor(
    private readonly members: MembersStore,
    private readonly users: UsersStore,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, organizationId: string, query: ListQuery): Promise<Page<Member>> {
    await this.organizations.get(actor, organizationId);
    return this.members.page(organizationId, query);
  }

  /** Adds the account of this address, made with the password when there is none. */
  async add(actor: Actor, organizationId: string, input: NewMember): Promise<Member> {
    if (input.password !== undefined && input.password.length < SHORTEST_PASSWORD)
      throw InvalidRequest.at('/password', `must have at least ${SHORTEST_PASSWORD} characters`);
    const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
    return this.unit.run(async () => {
      await this.open(actor, organizationId, input.role);
      const user = (await this.users.findByEmail(input.email)) ?? (await this.makeUser(input, passwordHash));
      if (await this.members.find(organizationId, user.id))
        throw new Conflict('ALREADY_MEMBER', `${user.email} is a member of this organization already`);
      await this.members.put(organizationId, user.id, input.role);
      await this.events.publish(new OrganizationMemberAdded(actor, organizationId, user, input.role));
      return this.require(organizationId, user.id);
    });
  }

  async changeRole(actor: Actor, organizationId: string, userId: string, role: OrganizationRole): Promise<Member> {
    return this.unit.run(async () => {
      await this.open(actor, organizationId, role);
      const member = await this.require(organizationId, userId);
      await this.mustNotTouchOwner(actor, organizationId, member);
      if (role !== 'owner') await this.mustLeaveAnOwner(organizationId, userId);
      if (organizationRole(member.role) === role) return member;
      await this.members.put(organizationId, userId, role);
      await this.events.publish(new OrganizationMemberRoleChanged(actor, organizationId, member, role));
      return this.require(organizationId, userId);
    });
  }

  /** What they own stays with the organization. */
  async remove(actor: Actor, organizationId: string, userId: string): Promise<Member> {
    return this.unit.run(async () => {
      const leaving = actor.userId === userId;
      if (leaving) await this.organizations.get(actor, organizationId);
      else await this.open(actor, organizationId, 'member');
      const member = await this.require(organizationId, userId);
      if (!leaving) await this.mustNotTouchOwner(actor, organizationId, member);
      await this.mustLeaveAnOwner(organizationId, userId);
      await this.members.remove(organizationId, userId);
      await this.events.publish(new OrganizationMemberRemoved(actor, organizationId, member, null));
      return member;
    });
  }

  private async require(organizationId: string, userId: string): Promise<Member> {
    const member = await this.members.find(organizationId, userId);
    if (!member) throw new NotFound('user', userId);
    return member;
  }

  /** Only owners name owners. */
  private async open(actor: Actor, organizationId: string, role: OrganizationRole): Promise<void> {
    await this.organizations.get(actor, organizationId);
    const resource = { type: 'organization' as const, id: organizationId, organizationId };
    await this.access.require(actor, organizationPolicy[role === 'owner' ? 'nameOwners' : 'manageMembers'], resource);
  }

  private async mustNotTouchOwner(actor: Actor, organizationId: string, member: Member): Promise<void> {
    if (organizationRole(member.role) !== 'owner') return;
    const resource = { type: 'organization' as const, id: organizationId, organizationId };
    if ((await this.access.roleOn(actor, resource)) !== 'owner') throw new Forbidden('only owners change an owner');
  }

  private async mustLeaveAnOwner(organizationId: string, userId: string): Promise<void> {
    const owners = await this.members.lockOwners(organizationId);
    if (owners.length > 1 || owners[0] !== userId) return;
    throw new Conflict('LAST_OWNER', 'this would leave the organization without an owner', {
      remedy: 'Make someone else an owner first.',
    });
  }

  private makeUser(input: NewMember, passwordHash: string | null): Promise<User> {
    if (passwordHash === null) throw InvalidRequest.at('/password', 'is required for an address without an account');
    return this.users.insert(
      Object.assign(new User(), {
        email: input.email.trim().toLowerCase(),
        firstName: input.first_name ?? '',
        lastName: input.last_name ?? '',
        passwordHash,
      }),
    );
  }
}
