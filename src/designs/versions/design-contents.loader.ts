import { Injectable } from '@nestjs/common';
import { ResponseBudget } from '../../core/responses/response-budget.service.js';
import { getLoader } from '../../core/graphql/loaders.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import type { DesignView } from '../design.view.js';
import { DesignContentsStore, type VersionKey } from './design-contents.store.js';
import { type PackedContent, unpackContent, readUnpackedSize } from './packed-content.js';

/** A version, and the name that its design has. */
type NamedVersion = VersionKey & { name: string };

/** Contents of several designs as answers show them: read one after another, within what one answer may carry. */
@Injectable()
export class DesignContentsLoader {
  constructor(
    private readonly contents: DesignContentsStore,
    private readonly budget: ResponseBudget,
  ) {}

  /** The design files as YAML text, by the ids of their designs. @throws InvalidRequest ANSWER_TOO_LARGE */
  loadTexts(designs: readonly NamedVersion[]): Promise<Map<string, string>> {
    const names = new Map(designs.map(({ id, name }) => [id, name]));
    return this.readWithinBudget(designs, 'content', (content, id) =>
      this.contents.packedToYaml(content, names.get(id) ?? ''),
    );
  }

  /** The bytes that were imported. @throws InvalidRequest ANSWER_TOO_LARGE */
  loadSources(designs: readonly NamedVersion[]): Promise<Map<string, Buffer>> {
    return this.readWithinBudget(designs, 'source', (packed) => unpackContent(packed));
  }

  /** The design file of a design for one GraphQL operation, which reads those that it asks for together. */
  loadText(context: object, { id, version_number, name }: DesignView): Promise<string> {
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
    convert: (packed: PackedContent, id: string) => Promise<T>,
  ): Promise<Map<string, T>> {
    if (designs.length === 0) return new Map();
    const read = new Map<string, T>();
    const turns = new TimeSlicer();
    await this.budget.withReserved(await this.contents.sumStoredBytes(designs, column), designs.length, async () => {
      for (const { id, open } of await this.contents.findSealed(designs, column)) {
        const packed = await open();
        const shown = await this.budget.readReserved(readUnpackedSize(packed), () => convert(packed, id));
        read.set(id, shown);
        await turns.yieldToEventLoop();
      }
    });
    return read;
  }
}
