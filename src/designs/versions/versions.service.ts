import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Precondition } from '../../core/rest/precondition.js';
import type { Design } from '../design.entity.js';
import { DesignChangesService } from '../design-changes.service.js';
import type { DesignWriteResult } from '../design.presenter.js';
import { DesignsService } from '../designs.service.js';
import { DesignContentsStore } from '../contents/design-contents.store.js';
import type { DesignVersion } from '../contents/design-version.entity.js';
import { SnapshotsStore } from './snapshots.store.js';
import { parseVersionNumber, type Restoration } from './version.inputs.js';
import { VersionView } from './version.view.js';
import { DesignContentsLoader } from '../contents/design-contents.loader.js';
import { VersionsStore } from '../contents/versions.store.js';

/** The version history of designs. Callers without access to the workspace see only the published version of a public design. */
@Injectable()
export class VersionsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly versions: VersionsStore,
    private readonly snapshots: SnapshotsStore,
    private readonly contents: DesignContentsStore,
    private readonly shown: DesignContentsLoader,
    private readonly changes: DesignChangesService,
  ) {}

  async list(actor: Actor, id: string, query: ListQuery): Promise<Page<VersionView>> {
    const design = await this.designs.get(actor, id);
    const page = await this.versions.page(design, query);
    return { ...page, items: page.items.map((version) => VersionView.fromEntity(version, design)) };
  }

  /** A version with its design file as YAML. */
  async get(actor: Actor, id: string, reference: string): Promise<VersionView> {
    const design = await this.designs.get(actor, id);
    const version = VersionView.fromEntity(await this.resolve(actor, design, reference, 'number'), design);
    const texts = await this.shown.loadTexts([{ id: design.id, versionNumber: version.number }]);
    return Object.assign(version, { pattern_file: texts.get(design.id) ?? '' });
  }

  /** Stores an earlier version as the next one. Restoring the current version has no effect. */
  async restore(
    actor: Actor,
    id: string,
    reference: string,
    { message }: Restoration,
    match: Precondition,
  ): Promise<DesignWriteResult> {
    const design = await this.designs.get(actor, id);
    await this.designs.assertAllowed(actor, 'update', design);
    const { number, sourceType, version } = await this.resolve(actor, design, reference, 'number');
    const file = (await this.contents.readDesign(design, number)).withMembers({ name: design.name });
    const source = await this.contents.readSourceFile(design, number);
    const note = message || `Restored version ${number} (${version})`;
    return this.changes.restore(actor, design, { file, sourceType, source }, note, match);
  }

  /**
   * A version by its number, or by the name of a snapshot of it.
   * @param field what identified it, for errors
   * @throws InvalidRequest for an impossible number, NotFound when there is none that the design's reader may see, Forbidden for a
   * variant without a role in the workspace
   */
  async resolve(actor: Actor, design: Design, reference: string, field: string): Promise<DesignVersion> {
    const version = await this.find(design, reference, field);
    await this.assertReadable(actor, design, version);
    return version;
  }

  /**
   * A version by its number, the current one by default.
   * @throws NotFound, Forbidden as `resolve`
   */
  async getReadable(actor: Actor, design: Design, number: number | undefined): Promise<DesignVersion> {
    const version = await this.getVersion(design, number);
    await this.assertReadable(actor, design, version);
    return version;
  }

  /** A variant holds what a chart has read from a cluster and generated there, for the workspace that the design was in. */
  private async assertReadable(actor: Actor, design: Design, version: DesignVersion): Promise<void> {
    if (version.variantOf === null) return;
    const { organizationId, workspaceId } = design;
    await this.designs.assertAllowed(actor, 'read', {
      organizationId,
      workspaceId: version.workspaceId ?? workspaceId,
    });
  }

  private async find(design: Design, reference: string, field: string): Promise<DesignVersion> {
    const number = parseVersionNumber(reference);
    const numbered = number === undefined ? null : await this.versions.find(design, number);
    if (numbered) return numbered;
    const snapshot = isSnapshotName(reference) ? await this.snapshots.findNamed(design, reference) : null;
    if (snapshot) return this.getVersion(design, snapshot.number);
    if (number === undefined && /^\d+$/.test(reference))
      throw InvalidRequest.forField(
        field,
        'must be the number of a version',
        'Send a whole number from 1, or the name of a snapshot.',
      );
    throw new NotFound('version', reference);
  }

  /** A version, the current one by default. @throws NotFound when there is none that the design's reader may see */
  async getVersion(design: Design, number = design.versionNumber): Promise<DesignVersion> {
    const version = await this.versions.find(design, number);
    if (!version) throw new NotFound('version', String(number));
    return version;
  }
}

const isSnapshotName = (text: string): boolean => text.length <= 255 && !text.includes('\0');
