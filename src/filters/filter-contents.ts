import { Injectable } from '@nestjs/common';
import { pack, unpack } from '../designs/versions/packed-content.js';
import { Env } from '../core/config/env.js';
import { Vault } from '../core/crypto/vault.js';
import { InvalidRequest } from '../core/errors/app-error.js';
import { loaderOf } from '../core/graphql/loaders.js';
import type { Filter } from './filter.entity.js';
import { FiltersStore } from './filters.store.js';

/** The modules and configurations of filters: sealed, and bound to their filter. */
@Injectable()
export class FilterContents {
  constructor(
    private readonly store: FiltersStore,
    private readonly vault: Vault,
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
    const sealed = (await this.store.contents([id])).get(id);
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

  async readResource({ id, resource }: Filter): Promise<string> {
    return resource ? (await this.vault.open(resource, placeOf(id, 'resource'))).toString() : '';
  }

  /**
   * The modules of several filters in base64, by their ids.
   * @throws InvalidRequest `ANSWER_TOO_LARGE` when they have more bytes together than a JSON body may have
   */
  async readAll(ids: readonly string[]): Promise<Map<string, string>> {
    const bytes = await this.store.bytesOf(ids);
    if (bytes > this.env.LIMIT_BODY_BYTES) throw tooMuch(bytes, this.env.LIMIT_BODY_BYTES);
    const files = new Map<string, string>();
    for (const [id, sealed] of await this.store.contents(ids))
      files.set(id, (await this.open(id, sealed)).toString('base64'));
    return files;
  }

  /** The module of a filter in base64 for one GraphQL operation, which reads those that it asks for together. */
  async loadFile(context: object, id: string): Promise<string> {
    return loaderOf(context, 'filter.file', (ids) => this.readAll(ids), '').load(id);
  }

  private async open(id: string, sealed: Buffer): Promise<Buffer> {
    return unpack(await this.vault.open(sealed, placeOf(id, 'content')));
  }
}

/** What a sealed content is bound to. */
const placeOf = (id: string, part: 'content' | 'resource'): string => `filter ${id} ${part}`;

function tooMuch(bytes: number, most: number): InvalidRequest {
  return new InvalidRequest(`the modules of this page have ${bytes} bytes; one answer has at most ${most} of them`, {
    code: 'ANSWER_TOO_LARGE',
    remedy: 'Ask for smaller pages, leave filter_file out, or take each from GET /api/filter/download/{id}.',
  });
}
