import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Precondition } from '../core/rest/precondition.js';
import type { PreparedVersion } from './contents/version-writer.service.js';
import type { Design } from './design.entity.js';
import { DesignUpdated } from './design.events.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';

/** The result of a change: other properties, another version, or both. */
interface DesignRevision {
  properties?: Partial<Pick<Design, 'name' | 'visibility' | 'location'>>;
  version: PreparedVersion | null;
}

/** Writes changes of designs. Each change increments the revision of the record; writing unchanged values does not. */
@Injectable()
export class DesignRevisionService {
  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @param check throws the reason to refuse the change of the locked design */
  async write(
    actor: Actor,
    id: string,
    { properties, version }: DesignRevision,
    match: Precondition,
    check: (design: Design) => Promise<void> = () => Promise.resolve(),
  ): Promise<Design> {
    return this.unit.run(async () => {
      const design = await this.designs.getForUpdate(actor, id, 'update', match);
      await check(design);
      await version?.write();
      if (await this.store.change(design, { ...properties, ...version?.design }))
        await this.events.publish(new DesignUpdated(actor, design, { content: Boolean(version) }));
      return design;
    });
  }
}
