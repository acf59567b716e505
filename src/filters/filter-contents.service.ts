import { Injectable } from '@nestjs/common';
import { packContent, unpackContent } from '../designs/contents/packed-content.js';
import { Env } from '../core/config/env.js';
import { Vault } from '../core/crypto/vault.service.js';
import { ResponseBudget } from '../core/responses/response-budget.service.js';
import { getLoader } from '../core/graphql/loaders.js';
import { TimeSlicer } from '../core/time-slicer.js';
import type { Filter } from './filter.entity.js';
import { FiltersStore, type SealedPart } from './filters.store.js';

/** The fields of a filter, or of its view, that identify its contents and the size of its module. */
type FilterContentRef = Pick<Filter, 'id' | 'size'>;

/** Seals and opens the modules and configurations of filters; the filter's id is part of the encryption context. */
@Injectable()
export class FilterContentsService {
  constructor(
    private readonly store: FiltersStore,
    private readonly vault: Vault,
    private readonly budget: ResponseBudget,
    private readonly env: Env,
  ) {}

  /** Compresses and encrypts a module; outside the transaction, so that it holds no locks during that time. */
  async sealModule({ id, organizationId }: Filter, bytes: Uint8Array): Promise<Buffer> {
    return this.vault.seal(organizationId, await packContent(bytes), sealContext(id, 'content'));
  }

  /** Seals a configuration; null for empty text. */
  async sealConfiguration({ id, organizationId }: Filter, text: string): Promise<Buffer | null> {
    return text === '' ? null : this.vault.seal(organizationId, text, sealContext(id, 'resource'));
  }

  /** The module of one filter. */
  async readModule({ id }: Filter): Promise<Buffer> {
    const sealed = (await this.store.findSealed([id], 'content')).get(id);
    if (!sealed) throw new Error(`the module of filter ${id} is gone`);
    return this.openModule(id, sealed);
  }

  /** The module in base64, for an answer with one filter; empty when it is larger than LIMIT_BODY_BYTES. */
  async readModuleBase64(filter: Filter): Promise<string> {
    return this.toInlineBase64(
      filter.size > this.env.LIMIT_BODY_BYTES ? Buffer.alloc(0) : await this.readModule(filter),
    );
  }

  /** As readModuleBase64, for bytes that are already loaded. */
  toInlineBase64(bytes: Uint8Array): string {
    return bytes.length > this.env.LIMIT_BODY_BYTES ? '' : Buffer.from(bytes).toString('base64');
  }

  async readConfiguration({ id }: Filter): Promise<string> {
    const sealed = (await this.store.findSealed([id], 'resource')).get(id);
    return sealed ? this.openConfiguration(id, sealed) : '';
  }

  /** The modules of several filters in base64, by filter id, without those larger than LIMIT_BODY_BYTES. @throws InvalidRequest ANSWER_TOO_LARGE */
  readModulesBase64(filters: readonly FilterContentRef[]): Promise<Map<string, string>> {
    const inline = filters.filter(({ size }) => size <= this.env.LIMIT_BODY_BYTES);
    const sizes = new Map(inline.map(({ id, size }) => [id, size]));
    const size = (id: string): number => Math.ceil(((sizes.get(id) ?? 0) * 4) / 3);
    return this.readAll([...sizes.keys()], 'content', (id, sealed) =>
      this.budget.readReserved(size(id), async () => (await this.openModule(id, sealed)).toString('base64')),
    );
  }

  /** The configurations of several filters, by filter id. @throws InvalidRequest ANSWER_TOO_LARGE */
  readConfigurations(ids: readonly string[]): Promise<Map<string, string>> {
    return this.readAll(ids, 'resource', (id, sealed) =>
      this.budget.readReserved(sealed.length, () => this.openConfiguration(id, sealed)),
    );
  }

  /** The module of a filter in base64, for a GraphQL operation, which batches its reads. */
  async loadModuleBase64(context: object, { id, size }: FilterContentRef): Promise<string> {
    const key = JSON.stringify([id, size]);
    const load = async (keys: readonly string[]): Promise<Map<string, string>> => {
      const filters = keys.map((each) => JSON.parse(each) as [string, number]);
      const files = await this.readModulesBase64(filters.map(([id, size]) => ({ id, size })));
      return new Map(keys.map((each, index) => [each, files.get(filters[index]?.[0] ?? '') ?? '']));
    };
    return this.budget.readShared(`filter ${id} file`, () => getLoader(context, 'filter.file', load, '').load(key));
  }

  /** The configuration of a filter, for a GraphQL operation, which batches its reads. */
  async loadConfiguration(context: object, { id }: FilterContentRef): Promise<string> {
    const loader = getLoader(context, 'filter.resource', (ids) => this.readConfigurations(ids), '');
    return this.budget.readShared(`filter ${id} resource`, () => loader.load(id));
  }

  private async readAll(
    ids: readonly string[],
    part: SealedPart,
    read: (id: string, sealed: Buffer) => Promise<string>,
  ): Promise<Map<string, string>> {
    const contents = new Map<string, string>();
    if (ids.length === 0) return contents;
    const turns = new TimeSlicer();
    await this.budget.withReserved(await this.store.sumSealedBytes(ids, part), ids.length, async () => {
      for (const [id, sealed] of await this.store.findSealed(ids, part)) {
        contents.set(id, await read(id, sealed));
        await turns.yieldToEventLoop();
      }
    });
    return contents;
  }

  private async openConfiguration(id: string, sealed: Buffer): Promise<string> {
    return (await this.vault.open(sealed, sealContext(id, 'resource'))).toString();
  }

  private async openModule(id: string, sealed: Buffer): Promise<Buffer> {
    return unpackContent(await this.vault.open(sealed, sealContext(id, 'content')));
  }
}

/** The encryption context of a sealed content. */
const sealContext = (id: string, part: SealedPart): string => `filter ${id} ${part}`;
