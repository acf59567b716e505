import { readDocuments, readLocated } from './documents.js';
import { defaultLimits, type FormatLimits } from './limits.js';
import { type Json, type LocatedData, LocatedDocument } from './located.js';
import { type SourceFile } from './source-file.js';
import { type Task, type TaskRunner } from './task.js';
import { Turns } from '../core/turns.js';
import { type Dialect } from './yaml-scalar.js';
import { toYaml } from './yaml-writer.js';

/** Input up to this many bytes is read at once. Hostile text of more holds up the event loop for longer than 50 ms. */
const AT_ONCE = 2 * 1024;
/** Aliases make much out of little. */
const ANCHOR = /(?:^|[\s[{,:-])&[^\s&,[\]{}]/;

interface ReadInput {
  file: SourceFile;
  dialect: Dialect;
  limits: FormatLimits;
}

const readTask: Task<ReadInput, Iterable<LocatedData>> = { module: import.meta.url, name: 'readInWorker' };
const writeTask: Task<readonly (Json | object)[], string> = { module: import.meta.url, name: 'writeInWorker' };
const rewriteTask: Task<Uint8Array, string> = { module: import.meta.url, name: 'rewriteInWorker' };

/** Reads and writes YAML and JSON without holding up the event loop: small files here, large ones in a worker. */
export class DocumentReader {
  private readonly turns = new Turns();

  constructor(
    private readonly tasks: TaskRunner,
    readonly limits: FormatLimits = defaultLimits,
  ) {}

  /** The documents of a file without empty ones. Throws InvalidRequest with every syntax fault. */
  async read(file: SourceFile, dialect: Dialect = 'kubernetes'): Promise<LocatedDocument[]> {
    const { limits } = this;
    if (isSmall(file.bytes)) {
      await this.turns.take();
      return readDocuments(file, dialect, limits);
    }
    // A copy of its own: sending a view would send everything that lies in the same buffer.
    const bytes = new Uint8Array(file.bytes);
    const documents = await this.tasks.collect(readTask, { file: { path: file.path, bytes }, dialect, limits });
    return documents.map((data) => new LocatedDocument(data));
  }

  /** As toYaml; `size` is what the caller knows of the bytes that went in. */
  async write(documents: readonly (Json | object)[], size: number): Promise<string> {
    return size <= AT_ONCE * 16 ? toYaml(documents) : this.tasks.run(writeTask, documents, { lane: 'own' });
  }

  /** A document that is held as JSON, as YAML. The bytes go over to a worker when they are many. */
  async rewrite(json: Uint8Array<ArrayBuffer>): Promise<string> {
    if (json.length <= AT_ONCE * 16) return rewriteInWorker(json);
    return this.tasks.run(rewriteTask, json, { lane: 'own', buffers: [json.buffer] });
  }
}

/** Whether reading these bytes holds nobody up. */
export function isSmall(bytes: Uint8Array): boolean {
  return bytes.length <= AT_ONCE && !ANCHOR.test(Buffer.from(bytes).toString('latin1'));
}

/** Task of the worker pool. */
export function* readInWorker({ file, dialect, limits }: ReadInput): Generator<LocatedData> {
  yield* readLocated(file, dialect, limits);
}

/** Task of the worker pool. */
export function writeInWorker(documents: readonly (Json | object)[]): string {
  return toYaml(documents);
}

/** Task of the worker pool. */
export function rewriteInWorker(json: Uint8Array): string {
  const text = Buffer.from(json.buffer, json.byteOffset, json.length).toString();
  return toYaml([JSON.parse(text) as Json]);
}
