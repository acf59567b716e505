import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Vault } from '../../core/crypto/vault.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { DesignFile } from '../../formats/design-file.js';
import { DocumentReader } from '../../formats/document-reader.js';
import type { JsonObject } from '../../formats/located.js';
import type { PackedDesign } from '../../formats/packed-design.js';
import type { SourceFile } from '../../formats/source-file.js';
import type { Design } from '../design.entity.js';
import { DesignVersion } from './design-version.entity.js';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** What is kept with a version beside its content. */
export interface VersionNote {
  userId: string;
  message: string;
}

/** The contents of designs, version by version: packed, sealed, and bound to their place. */
@Injectable()
export class DesignContents {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly vault: Vault,
    private readonly documents: DocumentReader,
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

  /** The design file of a version, the current one unless said otherwise. Holds others up for as long as it is large. */
  async read(design: Design, number = design.versionNumber): Promise<DesignFile> {
    return JSON.parse(Buffer.from(await this.readBytes(design, number)).toString()) as DesignFile;
  }

  /** The same as UTF-8 JSON, in a buffer of its own. */
  async readBytes(design: Design, number = design.versionNumber): Promise<Uint8Array<ArrayBuffer>> {
    const { content } = await this.row(design, number, 'content');
    return new Uint8Array(await this.open(content, placeOf(design.id, number)));
  }

  /** The same, held as bytes. */
  async readPacked(design: Design, number = design.versionNumber): Promise<PackedDesign> {
    return this.documents.pack(await this.readBytes(design, number));
  }

  /** The same as YAML text. */
  async readText(design: Design, number = design.versionNumber): Promise<string> {
    return this.documents.rewrite(await this.readBytes(design, number));
  }

  /** The metadata of the current version. */
  async readMetadata(design: Design): Promise<JsonObject> {
    return this.documents.pick(await this.readBytes(design), 'metadata');
  }

  /** A design file that is not kept, as YAML text. */
  write(file: PackedDesign): Promise<string> {
    return this.documents.rewrite(file.bytes());
  }

  /** The bytes that were imported. */
  async readSource(design: Design, number = design.versionNumber): Promise<Buffer> {
    const { source } = await this.row(design, number, 'source');
    return source ? this.open(source, placeOf(design.id, number, 'source')) : Buffer.alloc(0);
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

  private async open(sealed: Buffer, place: string): Promise<Buffer> {
    return unpack(await this.vault.open(sealed, place));
  }
}

/** What a sealed content is bound to. */
const placeOf = (id: string, number: number, part = 'content'): string => `design ${id} ${number} ${part}`;
