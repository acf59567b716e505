import { Injectable } from '@nestjs/common';
import { Access } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { type OrganizationListQuery, OrganizationQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { assertReadOnlyUnchanged } from '../core/rest/read-only-fields.js';
import { Precondition } from '../core/rest/precondition.js';
import type { RecordAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { Environment } from './environment.entity.js';
import {
  EnvironmentArchived,
  EnvironmentCreated,
  EnvironmentDeleted,
  EnvironmentRestored,
  EnvironmentUpdated,
} from './environment.events.js';
import type { EnvironmentChange, NewEnvironment } from './environment.inputs.js';
import { environmentPolicy } from './environment.policy.js';
import { EnvironmentView } from './environment.view.js';
import { EnvironmentsStore } from './environments.store.js';

@Injectable()
export class EnvironmentsService implements RecordAuthorizer {
  constructor(
    private readonly environments: EnvironmentsStore,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, query: OrganizationListQuery): Promise<Page<Environment>> {
    const organization = await this.organizations.resolve(actor, query.organization_id);
    return this.environments.page(actor, organization.id, query);
  }

  /** @throws NotFound when there is none that the actor may see */
  async get(actor: Actor, id: string, within = new OrganizationQuery()): Promise<Environment> {
    return orNotFound(id, within.keepIfInOrganization(await this.environments.find(actor, id)));
  }

  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const withDeleted = operation === environmentPolicy.restore;
    const environment = orNotFound(id, await this.environments.find(actor, id, withDeleted));
    const { organizationId } = environment;
    await this.access.authorize(actor, operation, { type: 'environment', id, organizationId });
  }

  async create(actor: Actor, input: NewEnvironment): Promise<Environment> {
    const organization = await this.organizations.get(actor, input.organization_id);
    const resource = { type: 'organization' as const, id: organization.id, organizationId: organization.id };
    await this.access.authorize(actor, environmentPolicy.create, resource);
    return this.unit.run(async () => {
      const environment = await this.environments.insert(Environment.create(actor, input));
      await this.events.publish(new EnvironmentCreated(actor, environment));
      return environment;
    });
  }

  async update(actor: Actor, id: string, input: EnvironmentChange, match: Precondition): Promise<Environment> {
    return this.unit.run(async () => {
      const environment = await this.getForUpdate(actor, id, 'update', match);
      assertReadOnlyUnchanged(input, EnvironmentView.fromEntity(environment));
      await this.environments.update(environment, input.fields());
      await this.events.publish(new EnvironmentUpdated(actor, environment));
      return environment;
    });
  }

  /** Archived it stays readable, but is neither assigned nor deployed to. Archiving twice changes nothing. */
  async archive(actor: Actor, id: string): Promise<Environment> {
    return this.unit.run(async () => {
      const environment = await this.getForUpdate(actor, id, 'archive');
      if (environment.status === 'archived') return environment;
      await this.environments.update(environment, { status: 'archived' });
      await this.events.publish(new EnvironmentArchived(actor, environment));
      return environment;
    });
  }

  /** Brings an archived or deleted environment back active, with the mappings it had. Restoring an active one changes nothing. */
  async restore(actor: Actor, id: string): Promise<Environment> {
    return this.unit.run(async () => {
      const environment = orNotFound(id, await this.environments.lockWithDeleted(actor, id));
      await this.requireAccess(actor, 'restore', environment);
      const { deletedAt, status } = environment;
      if (!deletedAt && status === 'active') return environment;
      await this.environments.update(environment, { status: 'active', deletedAt: null });
      await this.events.publish(new EnvironmentRestored(actor, environment, deletedAt));
      return environment;
    });
  }

  /** Its connections and their credentials stay; its mappings and assignments go with it, and come back with a restore. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<Environment> {
    return this.unit.run(async () => {
      const environment = await this.getForUpdate(actor, id, 'delete', match);
      await this.environments.softDelete(environment);
      await this.events.publish(new EnvironmentDeleted(actor, environment));
      return environment;
    });
  }

  /**
   * The environment, held until the end of the unit of work, when the actor may do this with it and it is not archived.
   * @throws NotFound, Forbidden, or Conflict ENVIRONMENT_ARCHIVED
   */
  async getActiveForUpdate(actor: Actor, id: string, operation: keyof typeof environmentPolicy): Promise<Environment> {
    const environment = await this.getForUpdate(actor, id, operation);
    if (environment.status === 'active') return environment;
    throw new Conflict('ENVIRONMENT_ARCHIVED', `environment ${environment.name} is archived`, {
      remedy: `Restore it first: POST /api/environments/${id}/restore.`,
    });
  }

  /** Finds, requires and compares: how every change of one environment begins. */
  async getForUpdate(
    actor: Actor,
    id: string,
    operation: keyof typeof environmentPolicy,
    match = Precondition.none,
  ): Promise<Environment> {
    const environment = orNotFound(id, await this.environments.lock(actor, id));
    await this.requireAccess(actor, operation, environment);
    match.assertMatches(environment);
    return environment;
  }

  private requireAccess(
    actor: Actor,
    operation: keyof typeof environmentPolicy,
    environment: Environment,
  ): Promise<void> {
    const { id, organizationId } = environment;
    return this.access.authorize(actor, environmentPolicy[operation], { type: 'environment', id, organizationId });
  }
}

function orNotFound(id: string, environment: Environment | null): Environment {
  if (!environment) throw new NotFound('environment', id);
  return environment;
}
