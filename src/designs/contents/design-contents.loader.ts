import { Injectable } from '@nestjs/common';
import { ResponseBudget } from '../../core/responses/response-budget.service.js';
import { getLoader } from '../../core/graphql/loaders.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { DesignContentsStore, type NamedVersion } from './design-contents.store.js';
import { type PackedContent, unpackContent, readUnpackedSize } from './packed-content.js';

/** Small contents are converted together, up to this many bytes, and larger ones alone. */
const BATCH_BYTES = 256 * 1024;

interface OpenedContent {
  id: string;
  packed: PackedContent;
  /** Uncompressed size in bytes. */
  size: number;
}

/** Loads the contents of several designs for a response: one after another, within the size limit of one response. */
@Injectable()
export class DesignContentsLoader {
  constructor(
    private readonly contents: DesignContentsStore,
    private readonly budget: ResponseBudget,
  ) {}

  /** The design files as YAML text, by the ids of their designs. @throws InvalidRequest ANSWER_TOO_LARGE */
  loadTexts(designs: readonly NamedVersion[]): Promise<Map<string, string>> {
    const names = new Map(designs.map(({ id, name }) => [id, name]));
    return this.readWithinBudget(designs, 'content', (batch) =>
      this.contents.packedToYaml(batch.map(({ id, packed }) => ({ content: packed, name: names.get(id) }))),
    );
  }

  /** The bytes that were imported. @throws InvalidRequest ANSWER_TOO_LARGE */
  loadSources(designs: readonly NamedVersion[]): Promise<Map<string, Buffer>> {
    return this.readWithinBudget(designs, 'source', (batch) =>
      Promise.all(batch.map(({ packed }) => unpackContent(packed))),
    );
  }

  /** The design file of a design for one GraphQL operation, which batches its reads. */
  loadText(
    context: object,
    { id, version_number, name }: { id: string; version_number: number; name: string },
  ): Promise<string> {
    const key = JSON.stringify([id, version_number, name]);
    const loader = getLoader(context, 'design.text', (keys) => this.loadTextsByKey(keys), '');
    return this.budget.readShared(`design ${key}`, () => loader.load(key));
  }

  private async loadTextsByKey(keys: readonly string[]): Promise<Map<string, string>> {
    const designs = keys.map((key) => {
      const [id, versionNumber, name] = JSON.parse(key) as [string, number, string];
      return { id, versionNumber, name };
    });
    const texts = await this.loadTexts(designs);
    return new Map(keys.map((key, index) => [key, texts.get(designs[index]?.id ?? '') ?? '']));
  }

  private async readWithinBudget<T extends string | Buffer>(
    designs: readonly NamedVersion[],
    column: 'content' | 'source',
    convert: (batch: OpenedContent[]) => Promise<T[]>,
  ): Promise<Map<string, T>> {
    if (designs.length === 0) return new Map();
    const read = new Map<string, T>();
    const turns = new TimeSlicer();
    await this.budget.withReserved(await this.contents.sumStoredBytes(designs, column), designs.length, async () => {
      let batch: OpenedContent[] = [];
      for (const { id, open } of await this.contents.findSealed(designs, column)) {
        const packed = await open();
        const opened = { id, packed, size: readUnpackedSize(packed) };
        if (sumSizes(batch) + opened.size > BATCH_BYTES) {
          await this.convertWithinBudget(batch, convert, read);
          batch = [];
        }
        batch.push(opened);
        await turns.yieldToEventLoop();
      }
      await this.convertWithinBudget(batch, convert, read);
    });
    return read;
  }

  /** Checks the size of a single content before reading it, and that of several small ones afterwards. */
  private async convertWithinBudget<T extends string | Buffer>(
    batch: OpenedContent[],
    convert: (batch: OpenedContent[]) => Promise<T[]>,
    read: Map<string, T>,
  ): Promise<void> {
    const converted = batch.length > 1 ? await convert(batch) : undefined;
    for (const [index, { id, size }] of batch.entries())
      read.set(id, await this.budget.readReserved(size, async () => (converted ?? (await convert(batch)))[index] as T));
  }
}

const sumSizes = (batch: readonly OpenedContent[]): number => batch.reduce((sum, { size }) => sum + size, 0);
