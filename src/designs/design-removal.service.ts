import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { AppError, type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { Precondition } from '../core/rest/precondition.js';
import type { RequestFields } from '../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { isObject } from '../core/json/json.js';
import { WorkspaceQuotasService } from '../workspaces/quotas/workspace-quotas.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Design } from './design.entity.js';
import { DesignDeleted, DesignRestored, DesignsDeleted } from './design.events.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';

/** Runs before a design may be deleted, outside the transaction; throws the reason to refuse. */
export type DeletionPreparation = (actor: Actor, design: Design, undeploy: boolean) => Promise<void>;

const MAX_BULK = 500;

/** Deletes and restores designs. */
@Injectable()
export class DesignRemovalService implements PlacementAuthorizer {
  private readonly preparations: DeletionPreparation[] = [];

  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Registers work to do before a design may be deleted, such as undeploying it. */
  registerBeforeDeletion(prepare: DeletionPreparation): void {
    this.preparations.push(prepare);
  }

  async delete(actor: Actor, id: string, match: Precondition, undeploy = false): Promise<Design> {
    await this.prepareDeletion(actor, id, undeploy);
    return this.unit.run(async () => {
      const design = await this.designs.getForUpdate(actor, id, 'delete', match);
      await this.store.softDelete(design);
      await this.events.publish(new DesignDeleted(actor, design));
      return design;
    });
  }

  /** Authorizes each design in the body of a bulk deletion. */
  async authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    const ids = readIds(fields.value('patterns'));
    await forEachCollectingFaults(ids, [...new Set(ids)], (id) => this.designs.authorize(actor, operation, id));
  }

  /**
   * Deletes all of the designs or none. Publishes one event per workspace.
   * @throws the first refusal, naming each design that cannot be deleted
   */
  async deleteMany(actor: Actor, given: readonly string[]): Promise<Design[]> {
    const ids = [...new Set(given)].sort();
    if (ids.length === 0 || ids.length > MAX_BULK)
      throw InvalidRequest.forField('/patterns', `must name 1 to ${MAX_BULK} designs`);
    const places = new Set<string>();
    await forEachCollectingFaults(given, ids, async (id) =>
      places.add((await this.prepareDeletion(actor, id, false)).workspaceId),
    );
    return this.unit.run(async () => {
      // Locks all workspaces before any design, the same lock order as in other operations.
      await this.workspaces.lockAllActive(actor, [...places].sort());
      const deleted: Design[] = [];
      await forEachCollectingFaults(given, ids, async (id) => {
        const design = await this.designs.getForUpdate(actor, id, 'delete');
        deleted.push(await this.store.softDelete(design));
      });
      for (const workspaceId of new Set(deleted.map((design) => design.workspaceId)))
        await this.publishDeletion(
          actor,
          deleted.filter((design) => design.workspaceId === workspaceId),
        );
      return deleted;
    });
  }

  /** Restoring a design that is not deleted has no effect. */
  async restore(actor: Actor, id: string): Promise<Design> {
    const current = await this.designs.getWithDeleted(actor, id);
    await this.designs.assertAllowed(actor, 'restore', current);
    if (!current.deletedAt) return current;
    return this.unit.run(async () => {
      const workspace = await this.workspaces.lockActive(actor, current.workspaceId);
      const design = await this.designs.getWithDeleted(actor, id, true);
      if (!design.deletedAt) return design;
      await this.quotas.assertWithinLimit(workspace, 'max_designs');
      await this.store.update(design, { deletedAt: null });
      await this.events.publish(new DesignRestored(actor, design));
      return design;
    });
  }

  /** Publishes the deletion of designs of one workspace. */
  private async publishDeletion(actor: Actor, designs: Design[]): Promise<void> {
    const [first, ...others] = designs;
    if (!first) return;
    const gone = others.length > 0 ? new DesignsDeleted(actor, designs, first) : new DesignDeleted(actor, first);
    await this.events.publish(gone);
  }

  private async prepareDeletion(actor: Actor, id: string, undeploy: boolean): Promise<Design> {
    const design = await this.designs.get(actor, id);
    await this.designs.assertAllowed(actor, 'delete', design);
    for (const prepare of this.preparations) await prepare(actor, design, undeploy);
    return design;
  }
}

/** The ids in the list of a body; none for an invalid or too long list, which the validation refuses. */
function readIds(patterns: unknown): string[] {
  if (!Array.isArray(patterns) || patterns.length > MAX_BULK) return [];
  const ids = patterns.map((entry: unknown) => (isObject(entry) ? entry['id'] : entry));
  return ids.every((id): id is string => typeof id === 'string' && validate(id)) ? ids : [];
}

/** Runs an action for each id, and throws the first error with a fault for each id that failed. */
async function forEachCollectingFaults(
  given: readonly string[],
  ids: string[],
  work: (id: string) => Promise<unknown>,
): Promise<void> {
  const failed: { error: AppError; fault: Fault }[] = [];
  for (const id of ids)
    await work(id).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      failed.push({ error, fault: { pointer: `/patterns/${given.indexOf(id)}/id`, detail: error.message } });
    });
  const [first] = failed;
  if (!first) return;
  const { status, code, title, message, remedy, extensions } = first.error;
  throw new AppError(status, code, title, message, { errors: failed.map(({ fault }) => fault), remedy, extensions });
}
