import { Injectable } from '@nestjs/common';
import { Vault } from '../../core/crypto/vault.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { DocumentReader } from '../../formats/document-reader.js';
import { itemsOf } from '../../formats/json-chunks.js';
import type { JsonObject } from '../../formats/located.js';
import { PackedDesign } from '../../formats/packed-design.js';
import type { SourceFile } from '../../formats/source-file.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import type { Design } from '../design.entity.js';
import { DesignVersion } from './design-version.entity.js';
import {
  type DesignResource,
  designTask,
  metadataTask,
  pack,
  type PackedContent,
  resourcesTask,
  tasksFor,
  textTask,
  unpack,
} from './packed-content.js';

/** What is kept with a version beside its content. */
export interface VersionNote {
  userId: string;
  message: string;
  /** Of one that is kept beside the design. */
  variantOf?: number;
}

/** The contents of designs, version by version: packed, sealed, and bound to their place. */
@Injectable()
export class DesignContents {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly vault: Vault,
    private readonly documents: DocumentReader,
    private readonly pool: WorkerPool,
  ) {}

  /** Packs and seals before the transaction, so that nothing is held meanwhile; the returned function writes it as the design's current version. */
  async prepare(
    design: Design,
    file: PackedDesign,
    source: SourceFile,
    note: VersionNote,
  ): Promise<() => Promise<void>> {
    const { id, organizationId, versionNumber: number } = design;
    const content = await this.vault.seal(organizationId, await pack(file.bytes()), placeOf(id, number));
    const sealedSource = await this.vault.seal(organizationId, await pack(source.bytes), placeOf(id, number, 'source'));
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
  async readPacked(design: Design, number = design.versionNumber): Promise<PackedContent> {
    const { content } = await this.row(design, number, 'content');
    return new Uint8Array(await this.vault.open(content, placeOf(design.id, number)));
  }

  /** The same, to be kept again. */
  async readDesign(design: Design, number = design.versionNumber): Promise<PackedDesign> {
    const content = await this.readPacked(design, number);
    const data = await tasksFor(content, this.pool).run(designTask, content, { buffers: [content.buffer] });
    return new PackedDesign(data);
  }

  /** The same as YAML text, under the name that the design has. */
  async readText(design: Design, number = design.versionNumber): Promise<string> {
    const content = await this.readPacked(design, number);
    const { name } = design;
    return tasksFor(content, this.pool).run(textTask, { content, name }, { buffers: [content.buffer] });
  }

  /** What deploying a version puts on a cluster: all but the hooks of a chart that installing it does not run. */
  async readResources(design: Design, number = design.versionNumber): Promise<DesignResource[]> {
    const content = await this.readPacked(design, number);
    const chunks = await tasksFor(content, this.pool).run(resourcesTask, content, { buffers: [content.buffer] });
    return itemsOf<DesignResource>(chunks);
  }

  /** The metadata of a version, the current one unless said otherwise. */
  async readMetadata(design: Design, number = design.versionNumber): Promise<JsonObject> {
    const content = await this.readPacked(design, number);
    return tasksFor(content, this.pool).run(metadataTask, content, { buffers: [content.buffer] });
  }

  /** A design file that is not kept, as YAML text. */
  write(file: PackedDesign): Promise<string> {
    return this.documents.rewrite(file.bytes());
  }

  /** The bytes that were imported. */
  async readSource(design: Design, number = design.versionNumber): Promise<Buffer> {
    const { source } = await this.row(design, number, 'source');
    return source ? unpack(await this.vault.open(source, placeOf(design.id, number, 'source'))) : Buffer.alloc(0);
  }

  /** The same with the name that they came under. */
  async readSourceFile(design: Design, number = design.versionNumber): Promise<SourceFile> {
    const { sourceName } = await this.row(design, number, 'sourceName');
    return { path: sourceName ?? '', bytes: await this.readSource(design, number) };
  }

  private async row(
    design: Design,
    number: number,
    column: 'content' | 'source' | 'sourceName',
  ): Promise<DesignVersion> {
    return this.unit.manager.getRepository(DesignVersion).findOneOrFail({
      where: { designId: design.id, number },
      select: { designId: true, number: true, [column]: true },
    });
  }
}

/** What a sealed content is bound to. */
const placeOf = (id: string, number: number, part = 'content'): string => `design ${id} ${number} ${part}`;
