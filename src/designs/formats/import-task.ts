import { DocumentReader } from '../../formats/document-reader.js';
import { type FormatLimits } from '../../formats/limits.js';
import { buffersOf, packed, type PackedData } from '../../formats/packed-design.js';
import { enginesOver } from '../../formats/programs/programs-elsewhere.js';
import { type SourceFile } from '../../formats/source-file.js';
import { type Ask, HandedOver, InPlace, type Task } from '../../formats/task.js';
import { importDesign, importDesignAs } from './detect.js';
import { type ImportedDesign, type ReadOptions } from './format.js';
import { type SourceType } from './source-type.js';

interface Input {
  file: SourceFile;
  /** Null for all of them. */
  types: readonly SourceType[] | null;
  options: Omit<ReadOptions, 'programs' | 'limits'>;
  limits: FormatLimits;
}

/** An import whose design is packed, and nothing of it is as large as the file. */
export interface PackedImport extends Omit<ImportedDesign, 'design'> {
  design: PackedData;
}

/** Reads a file as importDesign and importDesignAs do, from the bytes to the bytes; it asks for the programs. */
export const importTask: Task<Input, PackedImport> = { module: import.meta.url, name: 'importInWorker' };

/** Task of the worker pool. */
export async function importInWorker(
  { file, types, options, limits }: Input,
  ask: Ask,
): Promise<HandedOver<PackedImport>> {
  const reader = new DocumentReader(new InPlace(), limits);
  const all = { ...options, limits, programs: enginesOver(ask, limits) };
  const { design, ...imported } = types
    ? await importDesignAs(types, file, reader, all)
    : await importDesign(file, reader, all);
  const data = packed(design);
  return new HandedOver({ ...imported, design: data }, buffersOf(data));
}
