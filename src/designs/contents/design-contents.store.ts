import { createHash } from 'node:crypto';
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

/** The data stored with a version beside its content. */
export interface VersionNote {
  userId: string;
  message: string;
  /** The version of which this one is a variant, stored beside the current version of the design. */
  variantOf?: number;
  /** The workspace of the design, of a variant. */
  workspaceId?: string;
  generated?: GeneratedContent;
}

/** The values that a chart has generated for a release. */
export interface GeneratedContent {
  /** The connection, the namespace and the name of the release. */
  place: string[];
  values: JsonObject;
}

export const hashPlace = (place: string[]): string =>
  createHash('sha256').update(JSON.stringify(place)).digest('base64url');

/** Identifies a version of a design. */
export interface VersionKey {
  /** Id of the design. */
  id: string;
  versionNumber: number;
}

/** A version with the current name of its design; without a name, the stored one is shown. */
export interface NamedVersion extends VersionKey {
  name?: string;
}

/** The content of a version: a design file, and the file that it was read from. */
export interface VersionContent {
  file: PackedDesign;
  sourceType: SourceType;
  source: SourceFile;
}

/** The data stored with each version of a design. */
export interface VersionRecord extends VersionKey {
  organizationId: string;
  version: string;
  sourceType: SourceType;
}

/** An encrypted value that decrypts to compressed data. */
interface SealedContent {
  open: () => Promise<PackedContent>;
}

type SealedColumn = 'content' | 'source';

/** The contents of designs, version by version: compressed, encrypted, and bound to their version. */
@Injectable()
export class DesignContentsStore {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly vault: Vault,
    private readonly documents: DocumentReader,
    private readonly pool: WorkerPool,
  ) {}

  /** Compresses and encrypts before the transaction, so that it holds no locks during that time; the returned function writes the design's current version. */
  async prepareInsert(
    design: VersionRecord,
    file: PackedDesign,
    source: SourceFile,
    { generated, ...note }: VersionNote,
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
    const sealedValues =
      generated &&
      (await this.vault.seal(organizationId, JSON.stringify(generated), sealingContext(id, number, 'generated')));
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
        generated: sealedValues ?? null,
        generatedFor: generated ? hashPlace(generated.place) : null,
        ...note,
      });
    };
  }

  /** The stored design file of a version, for tasks to decompress; the current one by default. */
  async readPacked(design: VersionKey, number = design.versionNumber): Promise<PackedContent> {
    const { content } = await this.getVersion(design, number, 'content');
    return new Uint8Array(await this.vault.open(content, sealingContext(design.id, number)));
  }

  /** As `readPacked`, in the form to be stored again. */
  async readDesign(design: VersionKey, number = design.versionNumber): Promise<PackedDesign> {
    const content = await this.readPacked(design, number);
    const data = await taskRunnerFor(content, this.pool).run(designTask, content, ownLane(content));
    return new PackedDesign(data);
  }

  /**
   * Whether a content equals that of the current version of a design. For a design file, formatting and order do not matter; any
   * other source must have the same bytes. A higher version number set by the author is a change.
   */
  async isCurrentContent(design: VersionRecord, { file, sourceType, source }: VersionContent): Promise<boolean> {
    if (!file.hasSameContent(await this.readDesign(design))) return false;
    if (sourceType === 'design') return !isHigherVersion(file.version, design.version);
    return sourceType === design.sourceType && Buffer.compare(source.bytes, await this.readSource(design)) === 0;
  }

  /** The design file as YAML text, with the current name of the design. */
  async readText(design: NamedVersion, number = design.versionNumber): Promise<string> {
    const content = await this.readPacked(design, number);
    const [text = ''] = await this.packedToYaml([{ content, name: design.name }]);
    return text;
  }

  /**
   * Converts loaded contents to YAML: a small one on the main thread, several in one task, because together they would block the
   * event loop. Their buffers are transferred.
   */
  packedToYaml(contents: NamedContent[]): Promise<string[]> {
    const [only] = contents;
    const runner = only && contents.length === 1 ? taskRunnerFor(only.content, this.pool) : this.pool;
    return runner.run(textsTask, contents, {
      lane: 'own',
      transferList: contents.map(({ content }) => content.buffer),
    });
  }

  /** The total stored size of the contents or sources of several versions, in bytes. */
  async sumStoredBytes(versions: readonly VersionKey[], column: SealedColumn): Promise<number> {
    const [row] = await this.unit.manager.query<{ bytes: string | null }[]>(
      `SELECT sum(octet_length(${column})) AS bytes FROM design_version WHERE ${IN_VERSIONS}`,
      versionParameters(versions),
    );
    return Number(row?.bytes ?? 0);
  }

  /** The contents or sources of several versions, each with a function that decrypts it. */
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

  /** The resources that deployments of a version apply to a cluster, including chart hooks, which run in their phases. */
  async readResources(design: VersionKey, number = design.versionNumber): Promise<DesignResource[]> {
    const content = await this.readPacked(design, number);
    const chunks = await taskRunnerFor(content, this.pool).run(resourcesTask, content, ownLane(content));
    return fromJsonChunks<DesignResource>(chunks);
  }

  /** The metadata of a version, the current one by default. */
  async readMetadata(design: VersionKey, number = design.versionNumber): Promise<JsonObject> {
    const content = await this.readPacked(design, number);
    return taskRunnerFor(content, this.pool).run(metadataTask, content, ownLane(content));
  }

  /** The values that charts have generated in some versions, in the order of these. */
  async readGenerated({ id }: VersionKey, numbers: number[]): Promise<GeneratedContent[]> {
    const rows = await this.unit.manager.query<{ number: number; generated: Buffer }[]>(
      `SELECT number, generated FROM design_version WHERE design_id = $1 AND number = ANY ($2) AND generated IS NOT NULL
        ORDER BY array_position($2, number)`,
      [id, numbers],
    );
    const found: GeneratedContent[] = [];
    for (const { number, generated } of rows) {
      const text = await this.vault.open(generated, sealingContext(id, number, 'generated'));
      found.push(JSON.parse(text.toString()) as GeneratedContent);
    }
    return found;
  }

  /** The names of the models of the components of the current version. */
  async readModelNames(design: VersionKey): Promise<string[]> {
    const content = await this.readPacked(design);
    return taskRunnerFor(content, this.pool).run(modelNamesTask, content, ownLane(content));
  }

  /** Converts a design file that is not stored to YAML. */
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

  /** As `readSource`, with the file name. */
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

/** Tasks on stored content use a lane of their own, and transfer its bytes to the worker. */
const ownLane = ({ buffer }: PackedContent): TaskOptions => ({ lane: 'own', transferList: [buffer] });

/** The associated data of the encryption. */
const sealingContext = (id: string, number: number, part = 'content'): string => `design ${id} ${number} ${part}`;

const IN_VERSIONS = '(design_id, number) IN (SELECT * FROM unnest($1::uuid[], $2::integer[]))';

const versionParameters = (versions: readonly VersionKey[]): unknown[] => [
  versions.map(({ id }) => id),
  versions.map(({ versionNumber }) => versionNumber),
];

const EMPTY_GZIP = gzipSync('');
