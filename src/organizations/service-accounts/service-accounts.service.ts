import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Precondition } from '../../core/rest/precondition.js';
import { OrganizationMemberAdded, OrganizationMemberRemoved } from '../memberships/member.events.js';
import { type Member, memberRevision } from '../memberships/member.view.js';
import { MembersService } from '../members/members.service.js';
import { MembersStore } from '../memberships/members.store.js';
import { OrganizationsService } from '../organizations.service.js';
import { NO_MAIL_DOMAIN, User } from '../users/user.entity.js';
import { UserDeactivated } from '../users/user.events.js';
import { UsersStore } from '../users/users.store.js';
import type { NewServiceAccount } from './service-account.inputs.js';
import { trimText } from '../../core/trim-text.js';

/** Service accounts: members that are programs. */
@Injectable()
export class ServiceAccountsService {
  constructor(
    private readonly users: UsersStore,
    private readonly members: MembersService,
    private readonly membersStore: MembersStore,
    private readonly organizations: OrganizationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, organizationId: string, query: ListQuery): Promise<Page<Member>> {
    await this.organizations.get(actor, organizationId);
    return this.membersStore.pageOfServiceAccounts(organizationId, query);
  }

  async get(actor: Actor, organizationId: string, id: string): Promise<Member> {
    await this.organizations.get(actor, organizationId);
    return this.findServiceAccount(organizationId, id);
  }

  async create(actor: Actor, organizationId: string, { name, role }: NewServiceAccount): Promise<Member> {
    return this.unit.run(async () => {
      await this.organizations.getForUpdate(actor, organizationId, 'manageServiceAccounts', Precondition.none);
      const account = Object.assign(new User(), {
        kind: 'service',
        firstName: name,
        lastName: '',
        passwordHash: null,
        organizationId,
        defaultOrganizationId: organizationId,
      });
      account.email = placeholderEmail(account);
      await this.unit.runAsSystem('making a service account', () => this.users.insert(account));
      await this.membersStore.setRole(organizationId, account.id, role);
      await this.events.publish(new OrganizationMemberAdded(actor, organizationId, account, role));
      return this.members.getMember(organizationId, account.id);
    });
  }

  /** Deletes a service account, and revokes its tokens at once. */
  async delete(actor: Actor, organizationId: string, id: string, match: Precondition): Promise<Member> {
    return this.unit.run(async () => {
      const member = await this.getForUpdate(actor, organizationId, id);
      match.assertMatches(memberRevision(member));
      await this.membersStore.remove(organizationId, id);
      await this.deactivate(actor, member);
      await this.events.publish(new OrganizationMemberRemoved(actor, organizationId, member, null));
      return member;
    });
  }

  /** Deactivates the service accounts of a deleted organization. */
  async deactivateAll(actor: Actor, organizationId: string): Promise<void> {
    for (const account of await this.users.findServiceAccounts(organizationId)) await this.deactivate(actor, account);
  }

  /** A service account of the organization that the actor may manage; locks nothing. @throws NotFound, Forbidden */
  async getManaged(actor: Actor, organizationId: string, id: string): Promise<Member> {
    await this.organizations.getAuthorized(actor, organizationId, 'manageServiceAccounts');
    return this.findServiceAccount(organizationId, id);
  }

  /** As `getManaged`, and locks the organization. */
  async getForUpdate(actor: Actor, organizationId: string, id: string): Promise<Member> {
    await this.organizations.getForUpdate(actor, organizationId, 'manageServiceAccounts', Precondition.none);
    return this.findServiceAccount(organizationId, id);
  }

  private async findServiceAccount(organizationId: string, id: string): Promise<Member> {
    const member = await this.membersStore.find(organizationId, id);
    if (member?.kind !== 'service') throw new NotFound('service account', id);
    return member;
  }

  private async deactivate(actor: Actor, account: User): Promise<void> {
    await this.unit.runAsSystem('ending a service account', async () => {
      await this.users.softDelete(account);
      await this.events.publish(new UserDeactivated(actor, account));
    });
  }
}

/** A unique placeholder address of an account, because names need not be unique. */
function placeholderEmail({ id, firstName }: User): string {
  const name = trimText(firstName.toLowerCase().replace(/[^a-z0-9]+/g, '-'), /-/).slice(0, 40) || 'service';
  return `${name}.${id.replaceAll('-', '').slice(-12)}@service${NO_MAIL_DOMAIN}`;
}
