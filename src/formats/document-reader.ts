import { type DesignFile } from './design-file.js';
import { readDocuments, readLocated } from './documents.js';
import { defaultLimits, type FormatLimits } from './limits.js';
import { type Json, type JsonObject, type LocatedData, LocatedDocument, objectOf } from './located.js';
import { type SourceFile } from './source-file.js';
import { buffersOf, type PackedData, packed, PackedDesign } from './packed-design.js';
import { HandedOver, type Task, type TaskRunner } from './task.js';
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
const packTask: Task<Uint8Array, PackedData> = { module: import.meta.url, name: 'packInWorker' };
const pickTask: Task<{ json: Uint8Array; name: string }, JsonObject> = {
  module: import.meta.url,
  name: 'pickInWorker',
};

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
    return size <= AT_ONCE * 16 ? toYaml(documents) : this.tasks.run(writeTask, documents);
  }

  /** A document that is held as JSON, as YAML. The bytes go over to a worker when they are many. */
  async rewrite(json: Uint8Array<ArrayBuffer>): Promise<string> {
    if (json.length <= AT_ONCE * 16) return rewriteInWorker(json);
    return this.tasks.run(rewriteTask, json, { buffers: [json.buffer] });
  }

  /** A design that is held as JSON, apart in its members. The bytes go over to a worker when they are many. */
  async pack(json: Uint8Array<ArrayBuffer>): Promise<PackedDesign> {
    if (json.length <= AT_ONCE) return PackedDesign.of(parsed(json) as JsonObject & DesignFile);
    return new PackedDesign(await this.tasks.run(packTask, json, { buffers: [json.buffer] }));
  }

  /** One short object of a document that is held as JSON; empty when there is none of that name. The bytes go over to a worker when they are many. */
  async pick(json: Uint8Array<ArrayBuffer>, name: string): Promise<JsonObject> {
    if (json.length <= AT_ONCE * 16) return pickInWorker({ json, name });
    return this.tasks.run(pickTask, { json, name }, { buffers: [json.buffer] });
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
  return toYaml([parsed(json)]);
}

/** Task of the worker pool. */
export function packInWorker(json: Uint8Array): HandedOver<PackedData> {
  const data = packed(parsed(json) as JsonObject & DesignFile);
  return new HandedOver(data, buffersOf(data));
}

/** Task of the worker pool. */
export function pickInWorker({ json, name }: { json: Uint8Array; name: string }): JsonObject {
  return objectOf(objectOf(parsed(json))[name]);
}

function parsed(json: Uint8Array): Json {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString()) as Json;
}
