import { gzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Vault } from '../../core/crypto/vault.service.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import { fromJsonChunks } from '../../core/json/json-chunks.js';
import type { JsonObject } from '../../core/json/json.js';
import { PackedDesign } from '../../formats/design-file/packed-design.js';
import type { SourceFile } from '../../formats/sources/source-file.js';
import type { TaskOptions } from '../../core/workers/task.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import type { SourceType } from '../formats/source-type.js';
import { DesignVersion } from './design-version.entity.js';
import { isHigherVersion } from './version-number.js';
import {
  type DesignResource,
  designTask,
  metadataTask,
  modelNamesTask,
  type NamedContent,
  packContent,
  type PackedContent,
  resourcesTask,
  taskRunnerFor,
  textsTask,
  unpackContent,
} from './packed-content.js';

/** What is kept with a version beside its content. */
export interface VersionNote {
  userId: string;
  message: string;
  /** Of one that is kept beside the design. */
  variantOf?: number;
}

/** Which version of which design. */
export interface VersionKey {
  /** Of the design. */
  id: string;
  versionNumber: number;
}

/** The same with the name that its design has by now; without one it is shown with the name that it was stored with. */
export interface NamedVersion extends VersionKey {
  name?: string;
}

/** What a version holds: a design file, and the file that it was read from. */
export interface VersionContent {
  file: PackedDesign;
  sourceType: SourceType;
  source: SourceFile;
}

/** What is kept of a design with each version. */
export interface VersionRecord extends VersionKey {
  organizationId: string;
  version: string;
  sourceType: SourceType;
}

/** Something sealed that can be opened: packed then. */
interface SealedContent {
  open: () => Promise<PackedContent>;
}

type SealedColumn = 'content' | 'source';

/** The contents of designs, version by version: packed, sealed, and bound to their place. */
@Injectable()
export class DesignContentsStore {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly vault: Vault,
    private readonly documents: DocumentReader,
    private readonly pool: WorkerPool,
  ) {}

  /** Packs and seals before the transaction, so that nothing is held meanwhile; the returned function writes it as the design's current version. */
  async prepareInsert(
    design: VersionRecord,
    file: PackedDesign,
    source: SourceFile,
    note: VersionNote,
  ): Promise<() => Promise<void>> {
    const { id, organizationId, versionNumber: number } = design;
    const content = await this.vault.seal(
      organizationId,
      await packContent(file.toBytes()),
      sealingContext(id, number),
    );
    const sealedSource = await this.vault.seal(
      organizationId,
      await packContent(source.bytes),
      sealingContext(id, number, 'source'),
    );
    return async () => {
      await this.unit.manager.getRepository(DesignVersion).insert({
        id: newId(),
        designId: id,
        number,
        organizationId,
        version: design.version,
        sourceType: design.sourceType,
        content,
        source: sealedSource,
        sourceName: source.path,
        ...note,
      });
    };
  }

  /** The design file of a version as it is kept, for tasks to unpack; the current one unless said otherwise. */
  async readPacked(design: VersionKey, number = design.versionNumber): Promise<PackedContent> {
    const { content } = await this.getVersion(design, number, 'content');
    return new Uint8Array(await this.vault.open(content, sealingContext(design.id, number)));
  }

  /** The same, to be kept again. */
  async readDesign(design: VersionKey, number = design.versionNumber): Promise<PackedDesign> {
    const content = await this.readPacked(design, number);
    const data = await taskRunnerFor(content, this.pool).run(designTask, content, ownLane(content));
    return new PackedDesign(data);
  }

  /**
   * Whether a content says what the current version of a design says already. A design file is the same in other words and
   * with another order; of every other source the bytes count too. A higher version that the author wrote is a change.
   */
  async isCurrentContent(design: VersionRecord, { file, sourceType, source }: VersionContent): Promise<boolean> {
    if (!file.hasSameContent(await this.readDesign(design))) return false;
    if (sourceType === 'design') return !isHigherVersion(file.version, design.version);
    return sourceType === design.sourceType && Buffer.compare(source.bytes, await this.readSource(design)) === 0;
  }

  /** The same as YAML text, under the name that the design has. */
  async readText(design: NamedVersion, number = design.versionNumber): Promise<string> {
    const content = await this.readPacked(design, number);
    const [text = ''] = await this.packedToYaml([{ content, name: design.name }]);
    return text;
  }

  /**
   * Contents that are at hand as YAML texts, under these names or their own: a small one here, several in one task, for together they would hold
   * others up. They are handed over, and gone then.
   */
  packedToYaml(contents: NamedContent[]): Promise<string[]> {
    const [only] = contents;
    const runner = only && contents.length === 1 ? taskRunnerFor(only.content, this.pool) : this.pool;
    return runner.run(textsTask, contents, {
      lane: 'own',
      transferList: contents.map(({ content }) => content.buffer),
    });
  }

  /** Bytes of the contents, or of the sources, of several versions as they are stored. */
  async sumStoredBytes(versions: readonly VersionKey[], column: SealedColumn): Promise<number> {
    const [row] = await this.unit.manager.query<{ bytes: string | null }[]>(
      `SELECT sum(octet_length(${column})) AS bytes FROM design_version WHERE ${IN_VERSIONS}`,
      versionParameters(versions),
    );
    return Number(row?.bytes ?? 0);
  }

  /** The contents, or the sources, of several versions, each with what opens it. */
  async findSealed(versions: readonly VersionKey[], column: SealedColumn): Promise<(VersionKey & SealedContent)[]> {
    const rows = await this.unit.manager.query<(VersionKey & { sealed: Buffer | null })[]>(
      `SELECT design_id AS id, number AS "versionNumber", ${column} AS sealed FROM design_version WHERE ${IN_VERSIONS}`,
      versionParameters(versions),
    );
    return rows.map(({ id, versionNumber, sealed }) => ({
      id,
      versionNumber,
      open: async () =>
        new Uint8Array(sealed ? await this.vault.open(sealed, sealingContext(id, versionNumber, column)) : EMPTY_GZIP),
    }));
  }

  /** What deployments of a version put on a cluster, hooks of a chart included, which are run in their phases. */
  async readResources(design: VersionKey, number = design.versionNumber): Promise<DesignResource[]> {
    const content = await this.readPacked(design, number);
    const chunks = await taskRunnerFor(content, this.pool).run(resourcesTask, content, ownLane(content));
    return fromJsonChunks<DesignResource>(chunks);
  }

  /** The metadata of a version, the current one unless said otherwise. */
  async readMetadata(design: VersionKey, number = design.versionNumber): Promise<JsonObject> {
    const content = await this.readPacked(design, number);
    return taskRunnerFor(content, this.pool).run(metadataTask, content, ownLane(content));
  }

  /** The names of the models that the current version is made of. */
  async readModelNames(design: VersionKey): Promise<string[]> {
    const content = await this.readPacked(design);
    return taskRunnerFor(content, this.pool).run(modelNamesTask, content, ownLane(content));
  }

  /** A design file that is not kept, as YAML text. */
  toYaml(file: PackedDesign): Promise<string> {
    return this.documents.jsonToYaml(file.toBytes());
  }

  /** The bytes that were imported. */
  async readSource(design: VersionKey, number = design.versionNumber): Promise<Buffer> {
    const { source } = await this.getVersion(design, number, 'source');
    return source
      ? unpackContent(await this.vault.open(source, sealingContext(design.id, number, 'source')))
      : Buffer.alloc(0);
  }

  /** The same with the name that they came under. */
  async readSourceFile(design: VersionKey, number = design.versionNumber): Promise<SourceFile> {
    const { sourceName } = await this.getVersion(design, number, 'sourceName');
    return { path: sourceName ?? '', bytes: await this.readSource(design, number) };
  }

  private async getVersion(
    design: VersionKey,
    number: number,
    column: 'content' | 'source' | 'sourceName',
  ): Promise<DesignVersion> {
    return this.unit.manager.getRepository(DesignVersion).findOneOrFail({
      where: { designId: design.id, number },
      select: { designId: true, number: true, [column]: true },
    });
  }
}

/** Stored content is read in the lane of its own, and its bytes go over to the worker. */
const ownLane = ({ buffer }: PackedContent): TaskOptions => ({ lane: 'own', transferList: [buffer] });

/** What a sealed content is bound to. */
const sealingContext = (id: string, number: number, part = 'content'): string => `design ${id} ${number} ${part}`;

const IN_VERSIONS = '(design_id, number) IN (SELECT * FROM unnest($1::uuid[], $2::integer[]))';

const versionParameters = (versions: readonly VersionKey[]): unknown[] => [
  versions.map(({ id }) => id),
  versions.map(({ versionNumber }) => versionNumber),
];

const EMPTY_GZIP = gzipSync('');
