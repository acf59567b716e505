import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { asObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { PackedDesign } from '../../formats/design-file/packed-design.js';
import type { ChartCluster } from '../../formats/helm/chart-api.js';
import type { ChartDestination } from '../../formats/helm/helm.js';
import { DesignContentsStore, type GeneratedContent, hashPlace } from '../contents/design-contents.store.js';
import type { DesignVersion } from '../contents/design-version.entity.js';
import { VersionWriter } from '../contents/version-writer.service.js';
import { VersionsStore } from '../contents/versions.store.js';
import type { Design } from '../design.entity.js';
import { DesignSourceReader } from '../design-source.reader.js';
import { DesignsService } from '../designs.service.js';
import type { GeneratedCall } from '../formats/helm/chart-renderer.js';
import { type HelmSettings, readGeneratedCalls, readHelmSettings } from '../formats/helm/release.js';

/** Where a chart is rendered for. */
export interface RenderingTarget {
  /** The connection of the cluster. */
  connectionId: string;
  namespace: string;
  /** The name of the release. */
  release: string;
  destination: ChartDestination;
  cluster: Omit<ChartCluster, 'values'>;
  /** The version that is deployed there. */
  deployed?: number | undefined;
}

/** A version of a design as it is rendered for one cluster. */
export interface ChartRendering {
  number: number;
  /** Values that what is deployed there does not have. */
  generated: GeneratedCall[];
}

/** Maximum number of renderings of one version for one place, and of the newest for any, that are compared with a new one. */
const MAX_COMPARED = 20;

/**
 * Renders versions of charts for clusters. What differs from the version is stored as a variant beside the design, and does not become
 * its current version.
 */
@Injectable()
export class ChartRenderingsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly sources: DesignSourceReader,
    private readonly contents: DesignContentsStore,
    private readonly versions: VersionsStore,
    private readonly newVersions: VersionWriter,
    private readonly unit: UnitOfWork,
  ) {}

  /** The settings of a version of a chart; undefined for other designs. */
  async findSettings(design: Design, { number, sourceType }: DesignVersion): Promise<HelmSettings | undefined> {
    if (sourceType !== 'helm') return undefined;
    return readHelmSettings({ metadata: await this.contents.readMetadata(design, number) });
  }

  /**
   * Renders a version for a cluster, with values merged over its own. An equal rendering that is stored already is reused, so that
   * equal settings create one version. The values that a chart has generated for the connection, namespace and name of the release are
   * used again.
   * @throws InvalidRequest with Helm's errors
   */
  async findOrCreate(
    actor: Actor,
    design: Design,
    base: DesignVersion,
    target: RenderingTarget,
    values: string | Record<string, unknown> | undefined,
  ): Promise<ChartRendering> {
    const { connectionId, namespace, release, deployed } = target;
    const place = [connectionId, namespace, release];
    const ofPlace = await this.versions.findVariants(design, base.number, MAX_COMPARED, hashPlace(place));
    const variants = await this.versions.findVariants(design, base.number, MAX_COMPARED);
    // What is deployed is the most likely to be rendered again.
    const known = [...new Set([base, ...ofPlace, ...variants].map(({ number }) => number))].sort(
      (a, b) => Number(b === deployed) - Number(a === deployed),
    );
    const sources = deployed === undefined ? known : [...new Set([deployed, ...known])];
    const kept = await this.readKeptValues(design, sources, place);
    const cluster = { ...target.cluster, values: new Map(kept) };
    const rendered = await this.sources.renderChart(design, base, { ...target, cluster, values });
    const file = rendered.imported.design;
    const calls = readGeneratedCalls(asObject(file.getMember('metadata')));
    const before = deployed === undefined ? [] : await this.readCalls(design, deployed);
    const generated = calls.filter(({ key }) => !before.includes(key));
    for (const number of known)
      if (isSameRendering(file, await this.contents.readDesign(design, number))) return { number, generated };
    const message = `Version ${base.number} ${values === undefined ? 'as it is rendered for a cluster' : 'with the values of a deployment'}`;
    const own = Object.fromEntries(calls.map(({ key }) => [key, cluster.values.get(key) ?? null]));
    const note = {
      userId: actor.userId ?? '',
      message,
      variantOf: base.number,
      workspaceId: design.workspaceId,
      ...(calls.length === 0 ? {} : { generated: { place, values: own } }),
    };
    const content = { file, sourceType: 'helm' as const, source: rendered.file };
    return this.newVersions.withNextVersion(design, content, note, (version) =>
      this.unit.run(async () => {
        await this.designs.getForUpdate(actor, design.id, 'read');
        await version.write();
        return { number: version.design.versionNumber, generated };
      }),
    );
  }

  /** The values of earlier renderings for a place; what is deployed there comes first. */
  private async readKeptValues(
    design: Design,
    numbers: number[],
    place: GeneratedContent['place'],
  ): Promise<Map<string, Json>> {
    const kept = new Map<string, Json>();
    for (const { place: of, values } of await this.contents.readGenerated(design, numbers))
      if (isDeepStrictEqual(of, place))
        for (const [key, value] of Object.entries(values)) if (!kept.has(key)) kept.set(key, value);
    return kept;
  }

  private async readCalls(design: Design, number: number): Promise<string[]> {
    return readGeneratedCalls(await this.contents.readMetadata(design, number)).map(({ key }) => key);
  }
}

/** Whether two renderings differ only in the namespace of the release and in notes, which may name it and the revision. */
const isSameRendering = (one: PackedDesign, other: PackedDesign): boolean =>
  one.hasSameContent(other, ['metadata']) && isDeepStrictEqual(metadataOf(one), metadataOf(other));

function metadataOf(design: PackedDesign): JsonObject {
  const metadata = asObject(design.getMember('metadata'));
  return { ...metadata, helm: { ...asObject(metadata['helm']), namespace: null, notes: null } };
}
