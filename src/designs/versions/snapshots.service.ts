import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { DesignsService } from '../designs.service.js';
import { Snapshot } from './snapshot.entity.js';
import { SnapshotsStore } from './snapshots.store.js';
import type { NewSnapshot } from './version.inputs.js';
import { VersionsService } from './versions.service.js';

/** Names for versions of designs. */
@Injectable()
export class SnapshotsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly versions: VersionsService,
    private readonly snapshots: SnapshotsStore,
    private readonly unit: UnitOfWork,
  ) {}

  async list(actor: Actor, designId: string, query: ListQuery): Promise<Page<Snapshot>> {
    return this.snapshots.page(await this.designs.get(actor, designId), query);
  }

  /** @throws Conflict NAME_TAKEN when the design has a snapshot of this name */
  async create(actor: Actor, designId: string, { name, number }: NewSnapshot): Promise<Snapshot> {
    return this.unit.run(async () => {
      const design = await this.designs.getForUpdate(actor, designId, 'snapshot');
      const version = await this.versions.getVersion(design, number ?? design.versionNumber);
      const snapshot = Object.assign(new Snapshot(), {
        organizationId: design.organizationId,
        designId,
        number: version.number,
        name: name.trim(),
        userId: actor.userId,
      });
      return this.snapshots.insert(snapshot);
    });
  }
}
