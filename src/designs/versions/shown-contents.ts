import { Injectable } from '@nestjs/common';
import { AnswerBudget } from '../../core/answers/answer-budget.js';
import { loaderOf } from '../../core/graphql/loaders.js';
import { Turns } from '../../core/turns.js';
import type { DesignView } from '../design.view.js';
import { DesignContents, type VersionKey } from './design-contents.js';
import { type PackedContent, unpack, unpackedSize } from './packed-content.js';

/** A version, and the name that its design has. */
type NamedVersion = VersionKey & { name: string };

/** Contents of several designs as answers show them: read one after another, within what one answer may carry. */
@Injectable()
export class ShownContents {
  constructor(
    private readonly contents: DesignContents,
    private readonly budget: AnswerBudget,
  ) {}

  /** The design files as YAML text, by the ids of their designs. @throws InvalidRequest ANSWER_TOO_LARGE */
  texts(designs: readonly NamedVersion[]): Promise<Map<string, string>> {
    const names = new Map(designs.map(({ id, name }) => [id, name]));
    return this.readAll(designs, 'content', (content, id) => this.contents.textOf(content, names.get(id) ?? ''));
  }

  /** The bytes that were imported. @throws InvalidRequest ANSWER_TOO_LARGE */
  sources(designs: readonly NamedVersion[]): Promise<Map<string, Buffer>> {
    return this.readAll(designs, 'source', (packed) => unpack(packed));
  }

  /** The design file of a design for one GraphQL operation, which reads those that it asks for together. */
  loadText(context: object, { id, version_number, name }: DesignView): Promise<string> {
    const key = JSON.stringify([id, version_number, name]);
    const loader = loaderOf(context, 'design.text', (keys) => this.textsByKey(keys), '');
    return this.budget.show(`design ${key}`, () => loader.load(key));
  }

  private async textsByKey(keys: readonly string[]): Promise<Map<string, string>> {
    const designs = keys.map((key) => {
      const [id, versionNumber, name] = JSON.parse(key) as [string, number, string];
      return { id, versionNumber, name };
    });
    const texts = await this.texts(designs);
    return new Map(keys.map((key, index) => [key, texts.get(designs[index]?.id ?? '') ?? '']));
  }

  private async readAll<T extends string | Buffer>(
    designs: readonly NamedVersion[],
    column: 'content' | 'source',
    convert: (packed: PackedContent, id: string) => Promise<T>,
  ): Promise<Map<string, T>> {
    if (designs.length === 0) return new Map();
    const read = new Map<string, T>();
    const turns = new Turns();
    await this.budget.holding(await this.contents.storedBytes(designs, column), designs.length, async () => {
      for (const { id, open } of await this.contents.openable(designs, column)) {
        const packed = await open();
        const shown = await this.budget.read(unpackedSize(packed), () => convert(packed, id));
        read.set(id, shown);
        await turns.take();
      }
    });
    return read;
  }
}
