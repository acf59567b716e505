import { Injectable } from '@nestjs/common';
import { Access } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { type OrganizationListQuery, OrganizationQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { RecordGate } from '../core/records/record-gate.js';
import { Precondition } from '../core/rest/precondition.js';
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

/** Environments as records; each change of one is published as an event. */
@Injectable()
export class EnvironmentsService extends RecordGate<Environment, typeof environmentPolicy> {
  constructor(
    private readonly environments: EnvironmentsStore,
    private readonly organizations: OrganizationsService,
    access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {
    super(access, {
      name: 'environment',
      policy: environmentPolicy,
      store: environments,
      getProtectedRecord: ({ id, organizationId }) => ({ type: 'environment', id, organizationId }),
      toView: EnvironmentView.fromEntity,
    });
  }

  async list(actor: Actor, query: OrganizationListQuery): Promise<Page<Environment>> {
    const organization = await this.organizations.resolve(actor, query.organization_id);
    return this.environments.page(actor, organization.id, query);
  }

  /** @throws NotFound when there is none that the actor may see */
  override async get(actor: Actor, id: string, within = new OrganizationQuery()): Promise<Environment> {
    return this.orNotFound(id, within.keepIfInOrganization(await this.environments.find(actor, id)));
  }

  async create(actor: Actor, input: NewEnvironment): Promise<Environment> {
    const organization = await this.organizations.resolve(actor, input.organization_id);
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
      const environment = await this.getForChange(actor, id, input, match);
      if (this.environments.changeAtCommit(environment, input.fields(environment)))
        await this.events.publish(new EnvironmentUpdated(actor, environment));
      return environment;
    });
  }

  /** An archived environment stays readable, but is neither assigned nor deployed to. Archiving twice changes nothing. */
  async archive(actor: Actor, id: string): Promise<Environment> {
    return this.unit.run(async () => {
      const environment = await this.getForUpdate(actor, id, 'archive', Precondition.none);
      if (environment.status === 'archived') return environment;
      this.environments.updateAtCommit(environment, { status: 'archived' });
      await this.events.publish(new EnvironmentArchived(actor, environment));
      return environment;
    });
  }

  /** Restores an archived or deleted environment as active, with its mappings. Restoring an active one changes nothing. */
  async restore(actor: Actor, id: string): Promise<Environment> {
    return this.unit.run(async () => {
      const environment = await this.getForRestore(actor, id);
      const { deletedAt, status } = environment;
      if (!deletedAt && status === 'active') return environment;
      await this.environments.update(environment, { status: 'active', deletedAt: null });
      await this.events.publish(new EnvironmentRestored(actor, environment, deletedAt));
      return environment;
    });
  }

  /** Its connections and their credentials stay; its mappings and assignments are deleted and restored with it. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<Environment> {
    return this.unit.run(async () => {
      const environment = await this.getForUpdate(actor, id, 'delete', match);
      this.environments.softDeleteAtCommit(environment);
      await this.events.publish(new EnvironmentDeleted(actor, environment));
      return environment;
    });
  }

  /**
   * The environment, locked until the end of the unit of work, when the actor may do this and it is not archived.
   * @throws NotFound, Forbidden, or Conflict ENVIRONMENT_ARCHIVED
   */
  async getActiveForUpdate(actor: Actor, id: string, operation: keyof typeof environmentPolicy): Promise<Environment> {
    const environment = await this.getForUpdate(actor, id, operation, Precondition.none);
    if (environment.status === 'active') return environment;
    throw new Conflict('ENVIRONMENT_ARCHIVED', `environment ${environment.name} is archived`, {
      remedy: `Restore it first: POST /api/environments/${id}/restore.`,
    });
  }
}
