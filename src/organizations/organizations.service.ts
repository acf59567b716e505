import { Injectable } from '@nestjs/common';
import { Access } from '../core/authorization/access.service.js';
import { permissionError, assertInstallationAdmin, assertScope } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import { Memberships } from '../core/authorization/memberships.js';
import type { Operation } from '../core/access/policy.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { InvalidRequest } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { ListQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { RecordGate } from '../core/records/record-gate.js';
import type { Precondition } from '../core/rest/precondition.js';
import type { RequestFields } from '../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { MembersStore } from './memberships/members.store.js';
import { Organization } from './organization.entity.js';
import { OrganizationCreated, OrganizationDeleted, OrganizationUpdated } from './organization.events.js';
import type { NewOrganization, OrganizationChange } from './organization.inputs.js';
import { type OrganizationOperation, organizationPolicy } from './organization.policy.js';
import { OrganizationView } from './organization.view.js';
import { OrganizationsStore } from './organizations.store.js';

/** Organization records. Changes of members also lock the organization, so that they are serialized. */
@Injectable()
export class OrganizationsService
  extends RecordGate<Organization, typeof organizationPolicy>
  implements PlacementAuthorizer
{
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly members: MembersStore,
    private readonly memberships: Memberships,
    access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {
    super(access, {
      name: 'organization',
      policy: organizationPolicy,
      store: organizations,
      getProtectedRecord: ({ id }) => ({ type: 'organization', id, organizationId: id }),
      toView: OrganizationView.fromEntity,
    });
  }

  async list(actor: Actor, query: ListQuery): Promise<Page<Organization>> {
    assertScope(actor, organizationPolicy.read);
    return this.organizations.page(actor, query);
  }

  /** @throws NotFound when no such organization is visible to the actor */
  override async get(actor: Actor, id: string): Promise<Organization> {
    assertScope(actor, organizationPolicy.read);
    return super.get(actor, id);
  }

  /** Reports whether the actor sees the organization; none when it is undefined. */
  async sees(actor: Actor, id: string | undefined): Promise<boolean> {
    assertScope(actor, organizationPolicy.read);
    return id !== undefined && (await this.organizations.find(actor, id)) !== null;
  }

  /** Locks the organization until the end of the transaction, so that counts of its records remain valid. @throws NotFound */
  async lock(actor: Actor, id: string): Promise<void> {
    this.orNotFound(id, await this.organizations.lock(actor, id));
  }

  /** Creates an organization with the user as its owner; requires an installation administrator. */
  async create(actor: Actor, owner: string, input: NewOrganization): Promise<Organization> {
    assertScope(actor, organizationPolicy.create);
    assertInstallationAdmin(actor, organizationPolicy.create);
    return this.runAsSystem('making an organization', async () => {
      const organization = await this.organizations.insert(Organization.create(owner, input));
      await this.members.setRole(organization.id, owner, 'owner');
      await this.events.publish(new OrganizationCreated(actor, organization));
      return organization;
    });
  }

  async update(actor: Actor, id: string, input: OrganizationChange, match: Precondition): Promise<Organization> {
    return this.unit.run(async () => {
      const organization = await this.getForChange(actor, id, input, match);
      if (this.organizations.changeAtCommit(organization, input.fields()))
        await this.events.publish(new OrganizationUpdated(actor, organization));
      return organization;
    });
  }

  /** Deletes an organization and its empty personal workspaces. Listeners refuse while it has other workspaces. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<Organization> {
    return this.runAsSystem('deleting an organization', async () => {
      const organization = await this.getForUpdate(actor, id, 'delete', match);
      await this.organizations.lockAgainstNewRecords(id);
      await this.organizations.softDelete(organization);
      this.unit.afterCommit(() => this.memberships.invalidate(null));
      await this.events.publish(new OrganizationDeleted(actor, organization));
      return organization;
    });
  }

  /**
   * The organization of a call: the one that it names, else the caller's only one, else the default of their profile.
   * @throws NotFound when it is not visible, InvalidRequest listing the choices when it is ambiguous
   */
  async resolve(actor: Actor, id: string | undefined): Promise<{ id: string }> {
    assertScope(actor, organizationPolicy.read);
    if (id) return (await this.memberships.findRole(actor, id)) ? { id: id.toLowerCase() } : this.get(actor, id);
    const own = await this.listOfMember(actor);
    const only = defaultOrganization(actor, own);
    if (only) return this.resolve(actor, only.id);
    const names = own.map((each) => `${each.name} (${each.id})`).join(', ');
    throw own.length === 0
      ? InvalidRequest.forField('orgID', 'is required', 'Send orgID with the id of an organization.')
      : InvalidRequest.forField(
          'orgID',
          `is required; yours are ${names}`,
          'Send orgID with one of these, or set default_organization_id (PUT /api/identity/users/profile).',
        );
  }

  private async listOfMember({ userId }: Actor): Promise<{ id: string; name: string }[]> {
    return userId ? this.organizations.listByMember(userId) : [];
  }

  /** Checks the right before the content of the request is read. */
  override async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    if (!(await this.memberships.findRole(actor, id))) return super.authorize(actor, operation, id);
    await this.access.authorize(actor, operation, { type: 'organization', id, organizationId: id });
  }

  /** As `authorize`, for the organization of a body. When it is ambiguous, the service refuses later and lists the choices. */
  async authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    const id = fields.id('organization_id') ?? defaultOrganization(actor, await this.listOfMember(actor))?.id;
    if (id) await this.authorize(actor, operation, id);
  }

  /** Runs as the system, because the creation and deletion of an organization are published while it has no members. */
  private runAsSystem<T>(reason: string, work: () => Promise<T>): Promise<T> {
    return this.unit.runAsSystem(reason, () => this.unit.run(work));
  }

  /** Whether the actor has the right to an operation on an organization that they see. */
  async isAllowed(actor: Actor, operation: OrganizationOperation, id: string): Promise<boolean> {
    const role = await this.access.roleOn(actor, { type: 'organization', id, organizationId: id });
    return permissionError(actor, organizationPolicy[operation], role) === null;
  }
}

/** The only organization of the actor, else the default of their profile. */
const defaultOrganization = <O extends { id: string }>({ defaultOrganizationId }: Actor, own: O[]): O | undefined =>
  own.length === 1 ? own[0] : own.find(({ id }) => id === defaultOrganizationId);
