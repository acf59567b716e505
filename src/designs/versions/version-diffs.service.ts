import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { DesignContentsStore } from '../contents/design-contents.store.js';
import { VersionsStore } from '../contents/versions.store.js';
import { DesignsService } from '../designs.service.js';
import { type DesignDiff, diffTask } from './diff/design-diff.js';
import type { DiffQuery } from './version.inputs.js';
import { VersionsService } from './versions.service.js';

/** The two compared versions, and their differences. */
export interface VersionDiff extends DesignDiff {
  from: number;
  to: number;
}

/** Compares versions of designs. */
@Injectable()
export class VersionDiffsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly versions: VersionsService,
    private readonly store: VersionsStore,
    private readonly contents: DesignContentsStore,
    private readonly pool: WorkerPool,
  ) {}

  /** The semantic differences between two versions, given by their numbers or by snapshots. */
  async diff(actor: Actor, id: string, query: DiffQuery): Promise<VersionDiff> {
    const design = await this.designs.get(actor, id);
    const resolve = async (field: 'from' | 'to', otherwise: number): Promise<number> => {
      const reference = query[field];
      const version = reference
        ? await this.versions.resolve(actor, design, reference, field)
        : await this.versions.getVersion(design, otherwise);
      return version.number;
    };
    const to = await resolve('to', design.versionNumber);
    const from = await resolve('from', query.from ? to : ((await this.store.findPreviousNumber(design, to)) ?? to));
    const before = await this.contents.readPacked(design, from);
    const after = await this.contents.readPacked(design, to);
    const buffers = [before.buffer, after.buffer];
    return {
      from,
      to,
      ...(await this.pool.run(diffTask, { from: before, to: after }, { lane: 'own', transferList: buffers })),
    };
  }
}
