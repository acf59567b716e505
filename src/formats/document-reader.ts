import { readDocuments, readLocated } from './documents.js';
import { defaultLimits, type FormatLimits } from './limits.js';
import { type Json, type LocatedData, LocatedDocument } from './located.js';
import { type SourceFile } from './source-file.js';
import { Turns } from './turns.js';
import { type Task, type WorkerPool } from './worker-pool.js';
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

/** Reads and writes YAML and JSON without holding up the event loop: small files here, large ones in a worker. */
export class DocumentReader {
  private readonly turns = new Turns();

  constructor(
    private readonly pool: WorkerPool,
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
    const bytes = Uint8Array.from(file.bytes);
    const documents = await this.pool.collect(readTask, { file: { path: file.path, bytes }, dialect, limits });
    return documents.map((data) => new LocatedDocument(data));
  }

  /** As toYaml; `size` is what the caller knows of the bytes that went in. */
  async write(documents: readonly (Json | object)[], size: number): Promise<string> {
    return size <= AT_ONCE * 16 ? toYaml(documents) : this.pool.run(writeTask, documents);
  }
}

function isSmall(bytes: Uint8Array): boolean {
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
