import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Design } from '../design.entity.js';
import { DesignSourceReader } from '../design-source.reader.js';
import { DesignsService } from '../designs.service.js';
import { DesignContentsStore } from '../contents/design-contents.store.js';
import type { DesignVersion } from '../contents/design-version.entity.js';
import { VersionWriter } from '../contents/version-writer.service.js';
import { VersionsStore } from '../contents/versions.store.js';

type ChartValues = string | Record<string, unknown>;

/** The maximum number of variants of one version that are searched for an equal one; there are about as many as deployment targets. */
const MAX_COMPARED = 20;

/** Versions of charts with other values than their designs have. They are stored beside a design, whose current version stays. */
@Injectable()
export class ValueVariantsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly sources: DesignSourceReader,
    private readonly contents: DesignContentsStore,
    private readonly versions: VersionsStore,
    private readonly newVersions: VersionWriter,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * The number of the variant of a version with values merged over its own. An equal rendering that is already stored is
   * reused, so that equal values make one version.
   * @throws InvalidRequest when the version is not of a chart, or with Helm's errors about the values
   */
  async findOrCreate(actor: Actor, design: Design, base: DesignVersion, values: ChartValues): Promise<number> {
    const { imported, file: source } = await this.sources.fromVersionWithValues(design, base, values);
    const file = imported.design;
    for (const { number } of [base, ...(await this.versions.findVariants(design, base.number, MAX_COMPARED))])
      if (file.hasSameContent(await this.contents.readDesign(design, number))) return number;
    const message = `Version ${base.number} with the values of a deployment`;
    const note = { userId: actor.userId ?? '', message, variantOf: base.number };
    return this.newVersions.withNextVersion(design, { file, sourceType: 'helm', source }, note, (version) =>
      this.unit.run(async () => {
        await this.designs.getForUpdate(actor, design.id, 'read');
        await version.write();
        return version.design.versionNumber;
      }),
    );
  }
}
