import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { InvalidRequest } from '../core/errors/app-error.js';
import { payloadTooLarge } from '../core/errors/problem.js';
import { assertOneSent } from '../core/rest/alternatives.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import type { DesignLocation } from '../designs/design.entity.js';
import { decodeBase64, UploadedFiles } from '../formats/sources/uploaded-files.service.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import type { Filter } from './filter.entity.js';
import { type ValidatedModule, validateModuleTask } from './wasm/module-facts.js';

/** A validated module from a request. */
export interface FilterModule extends ValidatedModule {
  bytes: Uint8Array;
  size: number;
  location: DesignLocation;
}

/** The columns of a filter that describe its module. */
export type ModuleFields = Pick<Filter, 'size' | 'digest' | 'metadata' | 'location'>;

export const toModuleFields = ({ size, digest, facts, location }: Omit<FilterModule, 'bytes'>): ModuleFields => ({
  size,
  digest,
  metadata: facts,
  location,
});

/** The ways to send a module besides an upload; a request has exactly one. */
interface ModuleInput {
  name?: string;
  filter_data?: Record<string, unknown>;
  url?: string;
}

interface LocatedModule {
  bytes: Uint8Array;
  pointer: string;
  /** The file name; empty when there is none. */
  name: string;
  location: DesignLocation;
}

const FILTER_FILE_POINTER = '/filter_data/filter_file';
const MAX_CONFIG_CHARACTERS = 64_000;

/** Finds the module in a request and validates it. */
@Injectable()
export class FilterModuleLoader {
  constructor(
    private readonly sent: UploadedFiles,
    private readonly pool: WorkerPool,
    private readonly env: Env,
  ) {}

  /** @throws InvalidRequest when the module or the name is missing, or the module is invalid */
  async loadForCreate(input: ModuleInput, files: FormFile[]): Promise<FilterModule & { name: string }> {
    const { name, file } = parseFilterData(input);
    const found = await this.locate(file, input.url, files);
    if (!found)
      throw InvalidRequest.forField(
        FILTER_FILE_POINTER,
        'is required',
        'Send a multipart form with a file, or JSON with the module in base64 as filter_data.filter_file, or with its url.',
      );
    const chosen = name ?? found.name.replace(/\.wasm$/i, '');
    if (chosen.trim() === '') throw InvalidRequest.forField('/name', 'is required', 'Send the name of the filter.');
    return { ...(await this.validate(found)), name: [...chosen].slice(0, 255).join('') };
  }

  /** The new name and the new module, if the request has them. */
  async loadForUpdate(input: ModuleInput, files: FormFile[]): Promise<{ name?: string; module: FilterModule | null }> {
    const { name, file } = parseFilterData(input);
    const found = await this.locate(file, input.url, files);
    return { name, module: found && (await this.validate(found)) };
  }

  private async locate(file: unknown, url: string | undefined, files: FormFile[]): Promise<LocatedModule | null> {
    assertOneSent({ '/file': files[0], [FILTER_FILE_POINTER]: file, '/url': url });
    if (files.length > 0) {
      const { path, bytes } = await this.sent.resolve({}, files);
      return { bytes, pointer: '/file', name: path, location: { ...INLINE_LOCATION, type: 'upload', path } };
    }
    if (file !== undefined)
      return { bytes: decodeModule(file), pointer: FILTER_FILE_POINTER, name: '', location: INLINE_LOCATION };
    if (url === undefined) return null;
    const fetched = await this.sent.resolve({ url }, []);
    const { host = '', pathname: path = '' } = fetched.url ?? {};
    return {
      bytes: fetched.bytes,
      pointer: '/url',
      name: fetched.path,
      location: { ...INLINE_LOCATION, type: 'url', host, path },
    };
  }

  /** Compiles the module in a worker, because it is untrusted. Compiling validates it; it is never executed. */
  private async validate({ bytes, pointer, location }: LocatedModule): Promise<FilterModule> {
    const most = this.env.LIMIT_UPLOAD_BYTES;
    if (bytes.length > most)
      throw payloadTooLarge(`${pointer.slice(1)} is larger than ${most} bytes`, 'LIMIT_UPLOAD_BYTES');
    return { bytes, size: bytes.length, location, ...(await this.pool.run(validateModuleTask, { bytes, pointer })) };
  }
}

const INLINE_LOCATION: DesignLocation = { type: 'inline', host: '', path: '', branch: '' };

/** @throws InvalidRequest when the name in `filter_data` is none */
function parseFilterData({ name, filter_data: data = {} }: ModuleInput): { name?: string; file?: unknown } {
  const { name: inner, filter_file: file } = data;
  if (inner !== undefined && (typeof inner !== 'string' || inner.trim() === '' || inner.length > 255))
    throw InvalidRequest.forField('/filter_data/name', 'must be text of 1 to 255 characters');
  return { name: name ?? inner, file };
}

function decodeModule(file: unknown): Buffer {
  if (typeof file === 'string' && file.trim() !== '') return decodeBase64(FILTER_FILE_POINTER, file);
  throw InvalidRequest.forField(
    FILTER_FILE_POINTER,
    file === '' ? 'is empty' : 'must be text in base64',
    'Send the module in base64, or as the file of a multipart form.',
  );
}

/**
 * The text of a configuration: undefined when absent, empty for null.
 * @throws InvalidRequest when it is neither text nor an object, or too long
 */
export function parseConfig(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (given === null) return '';
  const text = typeof given === 'object' && !Array.isArray(given) ? JSON.stringify(given) : given;
  if (typeof text !== 'string') throw InvalidRequest.forField('/config', 'must be text or an object');
  if (text.length > MAX_CONFIG_CHARACTERS)
    throw InvalidRequest.forField('/config', `must have at most ${MAX_CONFIG_CHARACTERS} characters`);
  return text;
}
