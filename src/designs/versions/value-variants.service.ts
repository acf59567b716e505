import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { PackedDesign } from '../../formats/design-file/packed-design.js';
import type { Design } from '../design.entity.js';
import { DesignSourceReader } from '../design-source.reader.js';
import { DesignsService } from '../designs.service.js';
import { DesignEnrichmentService } from '../enrichment/design-enrichment.service.js';
import { DesignContentsStore } from './design-contents.store.js';
import type { DesignVersion } from './design-version.entity.js';
import { VersionWriter } from './version-writer.service.js';
import { VersionsStore } from './versions.store.js';

type ChartValues = string | Record<string, unknown>;

/** Variants of one version that are looked through for the same; there are about as many as places that it is deployed to. */
const MAX_COMPARED = 20;

/** Versions of charts with other values than their designs have. They are kept beside a design, whose current version stays what it is. */
@Injectable()
export class ValueVariantsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly sources: DesignSourceReader,
    private readonly knowledge: DesignEnrichmentService,
    private readonly contents: DesignContentsStore,
    private readonly versions: VersionsStore,
    private readonly newVersions: VersionWriter,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * The number of the version that another one is with values over its own. What that very rendering was kept as before serves
   * again, so that the same values make one version.
   * @throws InvalidRequest when the version is not of a chart, or with what Helm says of the values
   */
  async findOrCreate(actor: Actor, design: Design, base: DesignVersion, values: ChartValues): Promise<number> {
    const { imported, file: source } = await this.sources.fromVersionWithValues(design, base, values);
    const file = await this.knowledge.enrich(imported.design);
    for (const { number } of [base, ...(await this.versions.findVariants(design, base.number, MAX_COMPARED))])
      if (hasSameContent(file, await this.contents.readDesign(design, number))) return number;
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

/** But for what every version has of its own. */
function hasSameContent(one: PackedDesign, other: PackedDesign): boolean {
  const own = { id: '', version: '' };
  return Buffer.compare(one.withMembers(own).toBytes(), other.withMembers(own).toBytes()) === 0;
}
