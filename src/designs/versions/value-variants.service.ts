import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { PackedDesign } from '../../formats/packed-design.js';
import type { Design } from '../design.entity.js';
import { DesignSource } from '../design-source.js';
import { DesignsService } from '../designs.service.js';
import { DesignKnowledge } from '../knowledge/design-knowledge.js';
import { DesignContents } from './design-contents.js';
import type { DesignVersion } from './design-version.entity.js';
import { NewVersions } from './new-versions.js';
import { VersionsStore } from './versions.store.js';

type Values = string | Record<string, unknown>;

/** Variants of one version that are looked through for the same; there are about as many as places that it is deployed to. */
const LOOKED_AT = 20;

/** Versions of charts with other values than their designs have. They are kept beside a design, whose current version stays what it is. */
@Injectable()
export class ValueVariants {
  constructor(
    private readonly designs: DesignsService,
    private readonly sources: DesignSource,
    private readonly knowledge: DesignKnowledge,
    private readonly contents: DesignContents,
    private readonly versions: VersionsStore,
    private readonly newVersions: NewVersions,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * The number of the version that another one is with values over its own. What that very rendering was kept as before serves
   * again, so that the same values make one version.
   * @throws InvalidRequest when the version is not of a chart, or with what Helm says of the values
   */
  async of(actor: Actor, design: Design, base: DesignVersion, values: Values): Promise<number> {
    const { imported, file: source } = await this.sources.withValues(design, base, values);
    const file = await this.knowledge.enrich(imported.design);
    for (const { number } of [base, ...(await this.versions.variantsOf(design, base.number, LOOKED_AT))])
      if (isSame(file, await this.contents.readDesign(design, number))) return number;
    const message = `Version ${base.number} with the values of a deployment`;
    const note = { userId: actor.userId ?? '', message, variantOf: base.number };
    return this.newVersions.keep(design, { file, sourceType: 'helm', source }, note, (version) =>
      this.unit.run(async () => {
        await this.designs.open(actor, design.id, 'read');
        await version.write();
        return version.design.versionNumber;
      }),
    );
  }
}

/** But for what every version has of its own. */
function isSame(one: PackedDesign, other: PackedDesign): boolean {
  const own = { id: '', version: '' };
  return Buffer.compare(one.with(own).bytes(), other.with(own).bytes()) === 0;
}
