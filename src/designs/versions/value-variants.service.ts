import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { asObject, type JsonObject } from '../../core/json/json.js';
import type { PackedDesign } from '../../formats/design-file/packed-design.js';
import type { Design } from '../design.entity.js';
import { type ChartSettings, DesignSourceReader } from '../design-source.reader.js';
import { readHelmSettings } from '../formats/helm/release.js';
import { DesignsService } from '../designs.service.js';
import { DesignContentsStore } from '../contents/design-contents.store.js';
import type { DesignVersion } from '../contents/design-version.entity.js';
import { VersionWriter } from '../contents/version-writer.service.js';
import { VersionsStore } from '../contents/versions.store.js';

/** Maximum number of variants of one version that are compared with a new one; there are about as many as deployment targets. */
const MAX_COMPARED = 20;

/**
 * Creates versions of charts with other values, or for another namespace. They are stored beside a design and do not become its
 * current version.
 */
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
   * The number of the variant of a version with values merged over its own, and for the namespace of a release. An equal rendering
   * that is stored already is reused, so that equal settings create one version.
   * @throws InvalidRequest when the version is not of a chart, or with Helm's errors about the values
   */
  async findOrCreate(actor: Actor, design: Design, base: DesignVersion, settings: ChartSettings): Promise<number> {
    const rendered = await this.sources.fromVersionWithSettings(design, base, settings);
    if (!rendered) return base.number;
    const { imported, file: source } = rendered;
    const file = imported.design;
    for (const { number } of [base, ...(await this.versions.findVariants(design, base.number, MAX_COMPARED))])
      if (isSameRendering(file, await this.contents.readDesign(design, number))) return number;
    const message = `Version ${base.number} with the ${settings.values === undefined ? 'namespace' : 'values'} of a deployment`;
    const note = { userId: actor.userId ?? '', message, variantOf: base.number };
    return this.newVersions.withNextVersion(design, { file, sourceType: 'helm', source }, note, (version) =>
      this.unit.run(async () => {
        await this.designs.getForUpdate(actor, design.id, 'read');
        await version.write();
        return version.design.versionNumber;
      }),
    );
  }

  /** The namespace for which a variant was rendered, if it is not that of its base version. */
  async findNamespace(design: Design, number: number): Promise<string | undefined> {
    const version = await this.versions.find(design, number);
    if (!version?.variantOf) return undefined;
    const [own, base] = await Promise.all(
      [number, version.variantOf].map(async (each) => {
        const metadata = await this.contents.readMetadata(design, each);
        return readHelmSettings({ metadata })?.namespace;
      }),
    );
    return own === base ? undefined : own;
  }
}

/** Whether two renderings differ only in the namespace of the release. */
const isSameRendering = (one: PackedDesign, other: PackedDesign): boolean =>
  one.hasSameContent(other, ['metadata']) && isDeepStrictEqual(metadataOf(one), metadataOf(other));

function metadataOf(design: PackedDesign): JsonObject {
  const metadata = asObject(design.getMember('metadata'));
  return { ...metadata, helm: { ...asObject(metadata['helm']), namespace: null } };
}
