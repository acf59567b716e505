import { Injectable } from '@nestjs/common';
import { pack, unpack } from '../designs/versions/packed-content.js';
import { Env } from '../core/config/env.js';
import { Vault } from '../core/crypto/vault.js';
import { AnswerBudget } from '../core/answers/answer-budget.js';
import { loaderOf } from '../core/graphql/loaders.js';
import { Turns } from '../core/turns.js';
import type { Filter } from './filter.entity.js';
import { FiltersStore, type SealedPart } from './filters.store.js';

/** What of a filter, or of its view, tells which contents are meant and how many bytes its module has. */
type Shown = Pick<Filter, 'id' | 'size'>;

/** The modules and configurations of filters: sealed, and bound to their filter. */
@Injectable()
export class FilterContents {
  constructor(
    private readonly store: FiltersStore,
    private readonly vault: Vault,
    private readonly budget: AnswerBudget,
    private readonly env: Env,
  ) {}

  /** Packs and seals a module; outside of the transaction, so that nothing is held meanwhile. */
  async seal({ id, organizationId }: Filter, bytes: Uint8Array): Promise<Buffer> {
    return this.vault.seal(organizationId, await pack(bytes), placeOf(id, 'content'));
  }

  /** Seals a configuration; there is none when the text is empty. */
  async sealResource({ id, organizationId }: Filter, text: string): Promise<Buffer | null> {
    return text === '' ? null : this.vault.seal(organizationId, text, placeOf(id, 'resource'));
  }

  /** The module of one filter. */
  async read({ id }: Filter): Promise<Buffer> {
    const sealed = (await this.store.sealed([id], 'content')).get(id);
    if (!sealed) throw new Error(`the module of filter ${id} is gone`);
    return this.open(id, sealed);
  }

  /** The module in base64, as an answer about one filter has it: empty when it has more bytes than a JSON body may have. */
  async readFile(filter: Filter): Promise<string> {
    return this.inline(filter.size > this.env.LIMIT_BODY_BYTES ? Buffer.alloc(0) : await this.read(filter));
  }

  /** The same of a module that is at hand. */
  inline(bytes: Uint8Array): string {
    return bytes.length > this.env.LIMIT_BODY_BYTES ? '' : Buffer.from(bytes).toString('base64');
  }

  async readResource({ id }: Filter): Promise<string> {
    const sealed = (await this.store.sealed([id], 'resource')).get(id);
    return sealed ? this.openResource(id, sealed) : '';
  }

  /** The modules of several filters in base64, by their ids, but for those that are for downloads only. @throws InvalidRequest ANSWER_TOO_LARGE */
  files(filters: readonly Shown[]): Promise<Map<string, string>> {
    const inline = filters.filter(({ size }) => size <= this.env.LIMIT_BODY_BYTES);
    const sizes = new Map(inline.map(({ id, size }) => [id, size]));
    const size = (id: string): number => Math.ceil(((sizes.get(id) ?? 0) * 4) / 3);
    return this.readAll([...sizes.keys()], 'content', (id, sealed) =>
      this.budget.read(size(id), async () => (await this.open(id, sealed)).toString('base64')),
    );
  }

  /** The configurations of several filters, by their ids. @throws InvalidRequest ANSWER_TOO_LARGE */
  resources(ids: readonly string[]): Promise<Map<string, string>> {
    return this.readAll(ids, 'resource', (id, sealed) =>
      this.budget.read(sealed.length, () => this.openResource(id, sealed)),
    );
  }

  /** The module of a filter in base64 for one GraphQL operation, which reads those that it asks for together. */
  async loadFile(context: object, { id, size }: Shown): Promise<string> {
    const key = JSON.stringify([id, size]);
    const load = async (keys: readonly string[]): Promise<Map<string, string>> => {
      const filters = keys.map((each) => JSON.parse(each) as [string, number]);
      const files = await this.files(filters.map(([id, size]) => ({ id, size })));
      return new Map(keys.map((each, index) => [each, files.get(filters[index]?.[0] ?? '') ?? '']));
    };
    return this.budget.show(`filter ${id} file`, () => loaderOf(context, 'filter.file', load, '').load(key));
  }

  /** The same of the configuration. */
  async loadResource(context: object, { id }: Shown): Promise<string> {
    const loader = loaderOf(context, 'filter.resource', (ids) => this.resources(ids), '');
    return this.budget.show(`filter ${id} resource`, () => loader.load(id));
  }

  private async readAll(
    ids: readonly string[],
    part: SealedPart,
    read: (id: string, sealed: Buffer) => Promise<string>,
  ): Promise<Map<string, string>> {
    const contents = new Map<string, string>();
    if (ids.length === 0) return contents;
    const turns = new Turns();
    await this.budget.holding(await this.store.sealedBytes(ids, part), ids.length, async () => {
      for (const [id, sealed] of await this.store.sealed(ids, part)) {
        contents.set(id, await read(id, sealed));
        await turns.take();
      }
    });
    return contents;
  }

  private async openResource(id: string, sealed: Buffer): Promise<string> {
    return (await this.vault.open(sealed, placeOf(id, 'resource'))).toString();
  }

  private async open(id: string, sealed: Buffer): Promise<Buffer> {
    return unpack(await this.vault.open(sealed, placeOf(id, 'content')));
  }
}

/** What a sealed content is bound to. */
const placeOf = (id: string, part: SealedPart): string => `filter ${id} ${part}`;
