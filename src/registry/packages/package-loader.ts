import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../../formats/sources/format-limits.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type WorkerPool } from '../../core/workers/worker-pool.js';
import { defineTask, type Task } from '../../core/workers/task.js';
import { type ComponentDefinition, type ModelContent } from '../../formats/definitions/definitions.js';
import { type PackageContent } from './package-content.js';
import { readPackage } from './package-reader.js';

/** Characters of schemas per message; receiving this many blocks the event loop for a few milliseconds. */
const CHUNK_CHARACTERS = 2_000_000;

/** What PackageLoader adds to the input of its tasks. */
export interface LimitedInput {
  limits: FormatLimits;
}

interface ReadPackageInput extends LimitedInput {
  file: SourceFile;
}

/** The messages of the worker: a model with its first components, further components of the last model, and at the end everything outside of models. */
export type PackagePart =
  { content: ModelContent } | { more: ComponentDefinition[] } | { end: Omit<PackageContent, 'models'> };

export const readPackageTask: Task<ReadPackageInput, Iterable<PackagePart>> = defineTask(import.meta.url, {
  readPackageInWorker,
});

/** Reads packages without blocking the event loop. */
export class PackageLoader {
  constructor(
    private readonly pool: WorkerPool,
    private readonly limits: FormatLimits = DEFAULT_FORMAT_LIMITS,
  ) {}

  /** As readPackage. Throws InvalidRequest `TOO_COSTLY` as well, when time or memory is exhausted. */
  async load(file: SourceFile): Promise<PackageContent> {
    // A separate copy: sending a view would send the whole underlying buffer.
    const bytes = Uint8Array.from(file.bytes);
    return this.read(readPackageTask, { file: { path: file.path, bytes } });
  }

  /** As load, for another task that reads definitions. */
  async read<Input>(task: Task<Input & LimitedInput, Iterable<PackagePart>>, input: Input): Promise<PackageContent> {
    return joinPackageParts(await this.pool.collect(task, { ...input, limits: this.limits }));
  }
}

/** Task of the worker pool. */
export async function readPackageInWorker({ file, limits }: ReadPackageInput): Promise<Generator<PackagePart>> {
  return toPackageParts(await readPackage(file, limits));
}

export function* toPackageParts({ models, ...end }: PackageContent): Generator<PackagePart> {
  for (const { components, ...content } of models) {
    const [first = [], ...others] = toBatches(components);
    yield { content: { ...content, components: first } };
    for (const more of others) yield { more };
  }
  yield { end };
}

export function joinPackageParts(parts: PackagePart[]): PackageContent {
  const models: ModelContent[] = [];
  let end: Omit<PackageContent, 'models'> = { connections: [], faults: [], failed: 0 };
  for (const part of parts) {
    if ('content' in part) models.push(part.content);
    else if ('more' in part) for (const component of part.more) models.at(-1)?.components.push(component);
    else end = part.end;
  }
  return { models, ...end };
}

function toBatches(components: ComponentDefinition[]): ComponentDefinition[][] {
  const batches: ComponentDefinition[][] = [];
  let size = Infinity;
  for (const component of components) {
    if (size >= CHUNK_CHARACTERS) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)?.push(component);
    size += component.schema.length + 1000;
  }
  return batches;
}
