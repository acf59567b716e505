import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { RecordGate } from '../../core/records/record-gate.js';
import { Precondition } from '../../core/rest/precondition.js';
import { getReadOnlyField } from '../../core/rest/read-only-fields.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { EnvironmentsService } from '../environments.service.js';
import { assertFreezeTimes, findNextTimes } from './freeze-windows.js';
import { Freeze } from './freeze.entity.js';
import { FreezeCreated, FreezeDeleted, FreezeUpdated } from './freeze.events.js';
import type { FreezeChange, NewFreeze } from './freeze.inputs.js';
import { freezePolicy } from './freeze.policy.js';
import { FreezeView } from './freeze.view.js';
import { FreezesStore } from './freezes.store.js';

/** The maximum per environment, because each deployment evaluates all of them. */
const MAX_FREEZES = 50;

/** The maximum number of freezes whose windows are remembered. */
const MAX_REMEMBERED = 5_000;

const TIMED_FIELDS = ['active', 'next_starts_at', 'next_ends_at'] as const satisfies (keyof FreezeView)[];

/** An active freeze, and the end of its window. */
export interface ActiveFreeze {
  freeze: Freeze;
  endsAt: Date;
}

/** Whether a window of a freeze is active, in one of its revisions and for a time. */
interface FoundWindow {
  revision: number;
  from: Date;
  until: Date | null;
  endsAt: Date | null;
}

/** The freezes of environments; each change of one is published as a change of its environment. */
@Injectable()
export class FreezesService extends RecordGate<Freeze, typeof freezePolicy> {
  /** What was found of freezes, which holds until the next window begins or the active one ends. */
  private readonly found = new Map<string, FoundWindow>();

  constructor(
    private readonly freezes: FreezesStore,
    private readonly environments: EnvironmentsService,
    access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {
    super(access, {
      name: 'freeze',
      policy: freezePolicy,
      store: freezes,
      getProtectedRecord: ({ environmentId, organizationId }) => ({
        type: 'environment',
        id: environmentId,
        organizationId,
      }),
      // What depends on the time of the call may be sent back as it was read.
      toView: (freeze, input) =>
        Object.assign(
          FreezeView.fromEntity(freeze),
          Object.fromEntries(TIMED_FIELDS.map((name) => [name, getReadOnlyField(input, name)])),
        ),
    });
  }

  async list(actor: Actor, environmentId: string, query: ListQuery): Promise<Page<Freeze>> {
    await this.environments.authorize(actor, freezePolicy.read, environmentId);
    return this.freezes.page(actor, environmentId, query);
  }

  async getIn(actor: Actor, environmentId: string, id: string): Promise<Freeze> {
    await this.environments.authorize(actor, freezePolicy.read, environmentId);
    const freeze = await this.freezes.find(actor, id);
    return this.orNotFound(id, freeze?.environmentId === environmentId ? freeze : null);
  }

  async create(actor: Actor, environmentId: string, input: NewFreeze): Promise<Freeze> {
    return this.unit.run(async () => {
      const environment = await this.environments.getForUpdate(actor, environmentId, 'update', Precondition.none);
      if ((await this.freezes.count(environmentId)) >= MAX_FREEZES)
        throw new Conflict('TOO_MANY_FREEZES', `the environment has ${MAX_FREEZES} freezes already`, {
          remedy: 'Delete those that are over: DELETE /api/environments/{id}/freezes/{freezeId}.',
        });
      const { organizationId } = environment;
      const freeze = Object.assign(new Freeze(), { organizationId, environmentId, ...input.fields() });
      assertFreezeTimes(freeze);
      await this.freezes.insert(freeze);
      await this.events.publish(new FreezeCreated(actor, environment, freeze));
      return freeze;
    });
  }

  async update(
    actor: Actor,
    environmentId: string,
    id: string,
    input: FreezeChange,
    match: Precondition,
  ): Promise<Freeze> {
    return this.unit.run(async () => {
      const environment = await this.environments.getForUpdate(actor, environmentId, 'update', Precondition.none);
      await this.getIn(actor, environmentId, id);
      const freeze = await this.getForChange(actor, id, input, match);
      const fields = input.fields();
      assertFreezeTimes({ ...freeze, ...fields });
      if (this.freezes.changeAtCommit(freeze, fields))
        await this.events.publish(new FreezeUpdated(actor, environment, freeze));
      return freeze;
    });
  }

  async delete(actor: Actor, environmentId: string, id: string, match: Precondition): Promise<Freeze> {
    return this.unit.run(async () => {
      const environment = await this.environments.getForUpdate(actor, environmentId, 'update', Precondition.none);
      await this.getIn(actor, environmentId, id);
      const freeze = await this.getForUpdate(actor, id, 'delete', match);
      await this.freezes.softDelete(freeze);
      await this.events.publish(new FreezeDeleted(actor, environment, freeze));
      return freeze;
    });
  }

  /** The freeze that is active in an environment now, the one that ends last; undefined when there is none. */
  async findActive(environmentId: string): Promise<ActiveFreeze | undefined> {
    const now = new Date();
    const active: ActiveFreeze[] = [];
    const turns = new TimeSlicer();
    for (const freeze of await this.freezes.findStarted(environmentId, now)) {
      const endsAt = this.findEnd(freeze, now);
      if (endsAt) active.push({ freeze, endsAt });
      await turns.yieldToEventLoop();
    }
    return active.sort((a, b) => b.endsAt.getTime() - a.endsAt.getTime())[0];
  }

  /** The end of the active window. A rule is evaluated once for each window, because deployments ask within transactions. */
  private findEnd(freeze: Freeze, now: Date): Date | null {
    const { id, revision } = freeze;
    const known = this.found.get(id);
    if (known?.revision === revision && known.from <= now && (!known.until || now < known.until)) return known.endsAt;
    const { activeUntil, nextStartsAt } = findNextTimes(freeze, now);
    const [until = null] = [activeUntil, nextStartsAt]
      .filter((time) => time !== null)
      .sort((a, b) => a.getTime() - b.getTime());
    if (this.found.size >= MAX_REMEMBERED) this.found.clear();
    this.found.set(id, { revision, from: now, until, endsAt: activeUntil });
    return activeUntil;
  }
}
