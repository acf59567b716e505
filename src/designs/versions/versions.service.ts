import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Precondition } from '../../core/rest/precondition.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import type { Design } from '../design.entity.js';
import { DesignWriter, type DesignWriteResult } from '../design-writer.service.js';
import { DesignsService } from '../designs.service.js';
import { type DesignDiff, diffTask } from './diff/design-diff.js';
import { DesignContentsStore } from './design-contents.store.js';
import type { DesignVersion } from './design-version.entity.js';
import type { DiffQuery, Restoration } from './version.inputs.js';
import { VersionView } from './version.view.js';
import { DesignContentsLoader } from './design-contents.loader.js';
import { VersionsStore } from './versions.store.js';

/** Which two versions were compared, and what differs between them. */
export interface VersionDiff extends DesignDiff {
  from: number;
  to: number;
}

/** The history of designs. Strangers know of a public design the published version only. */
@Injectable()
export class VersionsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly versions: VersionsStore,
    private readonly contents: DesignContentsStore,
    private readonly shown: DesignContentsLoader,
    private readonly writer: DesignWriter,
    private readonly pool: WorkerPool,
  ) {}

  async list(actor: Actor, id: string, query: ListQuery): Promise<Page<VersionView>> {
    const design = await this.designs.get(actor, id);
    const page = await this.versions.page(design, query);
    return { ...page, items: page.items.map((version) => VersionView.fromEntity(version, design)) };
  }

  /** A version with its design file as YAML. */
  async get(actor: Actor, id: string, number: number): Promise<VersionView> {
    const design = await this.designs.get(actor, id);
    const version = VersionView.fromEntity(await this.getVersion(design, number), design);
    const { name } = design;
    const texts = await this.shown.loadTexts([{ id: design.id, versionNumber: number, name }]);
    return Object.assign(version, { pattern_file: texts.get(design.id) ?? '' });
  }

  /** Makes an earlier version the next one; restoring the current one does so too. */
  async restore(
    actor: Actor,
    id: string,
    number: number,
    { message }: Restoration,
    match: Precondition,
  ): Promise<DesignWriteResult> {
    const design = await this.designs.get(actor, id);
    await this.designs.assertAllowed(actor, 'update', design);
    const { sourceType, version } = await this.getVersion(design, number);
    const file = (await this.contents.readDesign(design, number)).withMembers({ name: design.name });
    const source = await this.contents.readSourceFile(design, number);
    const note = message || `Restored version ${number} (${version})`;
    return this.writer.restore(actor, design, { file, sourceType, source }, note, match);
  }

  /** What differs in meaning between two versions. */
  async diff(actor: Actor, id: string, query: DiffQuery): Promise<VersionDiff> {
    const design = await this.designs.get(actor, id);
    const { to = design.versionNumber, from = (await this.versions.findPreviousNumber(design, to)) ?? to } =
      query.parseNumbers();
    for (const number of [from, to]) await this.getVersion(design, number);
    const before = await this.contents.readPacked(design, from);
    const after = await this.contents.readPacked(design, to);
    const buffers = [before.buffer, after.buffer];
    return {
      from,
      to,
      ...(await this.pool.run(diffTask, { from: before, to: after }, { lane: 'own', transferList: buffers })),
    };
  }

  /** A version, the current one unless said otherwise. @throws NotFound when there is none that the design's reader may know */
  async getVersion(design: Design, number = design.versionNumber): Promise<DesignVersion> {
    const version = await this.versions.find(design, number);
    if (!version) throw new NotFound('version', String(number));
    return version;
  }
}
