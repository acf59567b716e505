import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { tooLarge } from '../core/errors/problem.js';
import type { UploadedFile } from '../core/rest/upload.js';
import { escape } from '../core/schema/sound.js';
import type { DesignLocation } from '../designs/design.entity.js';
import { fromBase64, SentFiles } from '../formats/sent-file.js';
import { WorkerPool } from '../formats/worker-pool.js';
import { type JudgedModule, judgeTask } from './wasm/module-facts.js';

/** A module that was sent and found to be sound. */
export interface FilterModule extends JudgedModule {
  bytes: Uint8Array;
  size: number;
  location: DesignLocation;
}

/** The ways in which a caller sends a module; an upload counts first, then the base64. */
interface Sent {
  name?: string;
  filter_data?: Record<string, unknown>;
  url?: string;
}

interface Found {
  bytes: Uint8Array;
  pointer: string;
  /** Of the file; empty when it came without. */
  name: string;
  location: DesignLocation;
}

const FILTER_FILE = '/filter_data/filter_file';
const LONGEST_CONFIG = 64_000;
const KNOWN = ['name', 'filter_file'];

/** Finds the module in what a caller sent, and judges it. */
@Injectable()
export class FilterSource {
  constructor(
    private readonly sent: SentFiles,
    private readonly pool: WorkerPool,
    private readonly env: Env,
  ) {}

  /** @throws InvalidRequest when no module or no name was sent, or the module is unsound */
  async ofNew(input: Sent, files: UploadedFile[]): Promise<FilterModule & { name: string }> {
    const { name, file } = dataOf(input);
    const found = await this.find(file, input.url, files);
    if (!found)
      throw InvalidRequest.at(
        FILTER_FILE,
        'is required',
        'Send a multipart form with a file, or JSON with the module in base64 as filter_data.filter_file, or with its url.',
      );
    const chosen = name ?? found.name.replace(/\.wasm$/i, '');
    if (chosen.trim() === '') throw InvalidRequest.at('/name', 'is required', 'Send the name of the filter.');
    return { ...(await this.judged(found)), name: [...chosen].slice(0, 255).join('') };
  }

  /** The new name and the new module, as far as they are sent. */
  async ofChange(input: Sent, files: UploadedFile[]): Promise<{ name?: string; module: FilterModule | null }> {
    const { name, file } = dataOf(input);
    const found = await this.find(file, input.url, files);
    return { name, module: found && (await this.judged(found)) };
  }

  private async find(file: unknown, url: string | undefined, files: UploadedFile[]): Promise<Found | null> {
    if (files.length > 0) {
      const { path, bytes } = await this.sent.find({}, files);
      return { bytes, pointer: '/file', name: path, location: { ...INLINE, type: 'upload', path } };
    }
    if (file !== undefined) return { bytes: ofText(file), pointer: FILTER_FILE, name: '', location: INLINE };
    if (url === undefined) return null;
    const fetched = await this.sent.find({ url }, []);
    const { host = '', pathname: path = '' } = fetched.url ?? {};
    return {
      bytes: fetched.bytes,
      pointer: '/url',
      name: fetched.path,
      location: { ...INLINE, type: 'url', host, path },
    };
  }

  /** Off the event loop, for it is foreign; compiling tells whether it is sound, and nothing of it is ever run. */
  private async judged({ bytes, pointer, location }: Found): Promise<FilterModule> {
    const most = this.env.LIMIT_UPLOAD_BYTES;
    if (bytes.length > most) throw tooLarge(`${pointer.slice(1)} is larger than ${most} bytes`);
    return { bytes, size: bytes.length, location, ...(await this.pool.run(judgeTask, { bytes, pointer })) };
  }
}

const INLINE: DesignLocation = { type: 'inline', host: '', path: '', branch: '' };

/** @throws InvalidRequest naming every member of `filter_data` that is wrong */
function dataOf({ name, filter_data: data = {} }: Sent): { name?: string; file?: unknown } {
  const faults: Fault[] = Object.keys(data)
    .filter((key) => !KNOWN.includes(key))
    .map((key) => ({ pointer: `/filter_data/${escape(key)}`, detail: 'is not a field of this request' }));
  const { name: inner, filter_file: file } = data;
  if (inner !== undefined && (typeof inner !== 'string' || inner.trim() === '' || inner.length > 255))
    faults.push({ pointer: '/filter_data/name', detail: 'must be text of 1 to 255 characters' });
  if (faults.length > 0)
    throw new InvalidRequest(faults.map(({ pointer = '', detail }) => `${pointer.slice(1)} ${detail}`).join('; '), {
      errors: faults,
    });
  return { name: name ?? (inner as string | undefined), file };
}

function ofText(file: unknown): Buffer {
  if (typeof file === 'string' && file.trim() !== '') return fromBase64(FILTER_FILE, file);
  throw InvalidRequest.at(
    FILTER_FILE,
    file === '' ? 'is empty' : 'must be text in base64',
    'Send the module in base64, or as the file of a multipart form.',
  );
}

/**
 * The text of a configuration; undefined when none was sent, empty for null.
 * @throws InvalidRequest when it is neither text nor an object, or too long
 */
export function readConfig(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (given === null) return '';
  const text = typeof given === 'object' && !Array.isArray(given) ? JSON.stringify(given) : given;
  if (typeof text !== 'string') throw InvalidRequest.at('/config', 'must be text or an object');
  if (text.length > LONGEST_CONFIG)
    throw InvalidRequest.at('/config', `must have at most ${LONGEST_CONFIG} characters`);
  return text;
}
