import { parseDocuments, parseLocated } from './parse-documents.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../sources/format-limits.js';
import type { Json } from '../../core/json/json.js';
import { type LocatedData, LocatedDocument } from './located-document.js';
import { type SourceFile } from '../sources/source-file.js';
import { defineTask, type Task, type TaskRunner } from '../../core/workers/task.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { type YamlDialect } from './yaml-scalar.js';
import { toYaml } from './yaml-writer.js';

/** The input size in bytes up to which it is read synchronously. Larger hostile text blocks the event loop for longer than 50 ms. */
const INLINE_MAX_BYTES = 2 * 1024;
/** Aliases expand small input. */
const ANCHOR = /(?:^|[\s[{,:-])&[^\s&,[\]{}]/;

interface ParseInput {
  file: SourceFile;
  dialect: YamlDialect;
  limits: FormatLimits;
}

const parseTask: Task<ParseInput, Iterable<LocatedData>> = defineTask(import.meta.url, { readInWorker });
const toYamlTask: Task<readonly (Json | object)[], string> = defineTask(import.meta.url, { writeInWorker });
const jsonToYamlTask: Task<Uint8Array, string> = defineTask(import.meta.url, { rewriteInWorker });

/** Reads and writes YAML and JSON without blocking the event loop: small files here, large ones in a worker. */
export class DocumentReader {
  private readonly timeSlicer = new TimeSlicer();

  constructor(
    private readonly tasks: TaskRunner,
    readonly limits: FormatLimits = DEFAULT_FORMAT_LIMITS,
  ) {}

  /** The documents of a file without empty ones. Throws InvalidRequest with every syntax fault. */
  async parse(file: SourceFile, dialect: YamlDialect = 'kubernetes'): Promise<LocatedDocument[]> {
    const { limits } = this;
    if (canParseInline(file.bytes)) {
      await this.timeSlicer.yieldToEventLoop();
      return parseDocuments(file, dialect, limits);
    }
    // Sending a view sends the whole underlying buffer.
    const isView = file.bytes.byteLength < file.bytes.buffer.byteLength;
    const bytes = isView ? new Uint8Array(file.bytes) : file.bytes;
    const input = { file: { path: file.path, bytes }, dialect, limits };
    const documents = await this.tasks.collect(parseTask, input, { inputBytes: bytes.length });
    return documents.map((data) => new LocatedDocument(data));
  }

  /** As toYaml; `size` is the size of the input in bytes, where known. */
  async toYaml(documents: readonly (Json | object)[], size: number): Promise<string> {
    return size <= INLINE_MAX_BYTES * 16 ? toYaml(documents) : this.tasks.run(toYamlTask, documents, { lane: 'own' });
  }

  /** A document that is held as JSON, as YAML. Large buffers are transferred to a worker. */
  async jsonToYaml(json: Uint8Array<ArrayBuffer>): Promise<string> {
    if (json.length <= INLINE_MAX_BYTES * 16) return rewriteInWorker(json);
    return this.tasks.run(jsonToYamlTask, json, { lane: 'own', transferList: [json.buffer] });
  }
}

/** Whether these bytes are few enough to be read synchronously. */
export function canParseInline(bytes: Uint8Array): boolean {
  return bytes.length <= INLINE_MAX_BYTES && !ANCHOR.test(Buffer.from(bytes).toString('latin1'));
}

/** Task of the worker pool. */
export function* readInWorker({ file, dialect, limits }: ParseInput): Generator<LocatedData> {
  yield* parseLocated(file, dialect, limits);
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
