import { Injectable } from '@nestjs/common';
import { Access } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Forbidden, InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { ListQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { cleared, given, mustEcho } from '../core/rest/change-input.js';
import { Precondition } from '../core/rest/precondition.js';
import { MembersStore } from './members/members.store.js';
import { Organization } from './organization.entity.js';
import { OrganizationCreated, OrganizationDeleted, OrganizationUpdated } from './organization.events.js';
import type { NewOrganization, OrganizationChange } from './organization.inputs.js';
import { organizationPolicy } from './organization.policy.js';
import { OrganizationView } from './organization.view.js';
import { OrganizationsStore } from './organizations.store.js';

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly members: MembersStore,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  list(actor: Actor, query: ListQuery): Promise<Page<Organization>> {
    return this.organizations.page(actor, query);
  }

  async get(actor: Actor, id: string): Promise<Organization> {
    const organization = await this.organizations.find(actor, id);
    if (!organization) throw new NotFound('organization', id);
    return organization;
  }

  /** Who creates an organization becomes its owner; only installation administrators do. */
  async create(actor: Actor, owner: string, input: NewOrganization): Promise<Organization> {
    if (!actor.installationAdmin) throw new Forbidden('only installation administrators create organizations');
    return this.unit.run(async () => {
      const organization = Object.assign(new Organization(), {
        name: input.name,
        description: input.description ?? '',
        metadata: input.metadata ?? {},
        owner,
      });
      await this.organizations.insert(organization);
      await this.members.put(organization.id, owner, 'owner');
      await this.events.publish(new OrganizationCreated(actor, organization));
      return organization;
    });
  }

  async update(actor: Actor, id: string, input: OrganizationChange, match: Precondition): Promise<Organization> {
    return this.unit.run(async () => {
      const organization = await this.get(actor, id);
      await this.require(actor, 'update', organization);
      match.check(organization);
      mustEcho(input, OrganizationView.of(organization));
      await this.organizations.update(
        organization,
        given({
          name: input.name,
          description: cleared(input.description, ''),
          metadata: cleared(input.metadata, {}),
        }),
      );
      await this.events.publish(new OrganizationUpdated(actor, organization));
      return organization;
    });
  }

  /** An organization goes last: listeners refuse while something of it is left. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<Organization> {
    return this.unit.run(async () => {
      const organization = await this.get(actor, id);
      await this.require(actor, 'delete', organization);
      match.check(organization);
      await this.events.publish(new OrganizationDeleted(actor, organization));
      return this.organizations.softDelete(organization);
    });
  }

  /**
   * The organization that a call means: the one it names, else the caller's only one, else the default of their profile.
   * @throws NotFound when it is not visible, InvalidRequest naming the choices when none is meant
   */
  async meantBy(actor: Actor, id: string | undefined): Promise<Organization> {
    if (id) return this.get(actor, id);
    const own = actor.userId ? await this.organizations.ofMember(actor.userId) : [];
    const only = own.length === 1 ? own[0] : own.find((each) => each.id === actor.defaultOrganizationId);
    if (only) return this.get(actor, only.id);
    const names = own.map((each) => `${each.name} (${each.id})`).join(', ');
    throw InvalidRequest.at('orgID', own.length === 0 ? 'is required' : `is required; yours are ${names}`);
  }

  private require(actor: Actor, operation: keyof typeof organizationPolicy, organization: Organization): Promise<void> {
    const resource = { type: 'organization' as const, id: organization.id, organizationId: organization.id };
    return this.access.require(actor, organizationPolicy[operation], resource);
  }
}
