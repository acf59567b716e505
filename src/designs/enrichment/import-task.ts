import { DocumentReader } from '../../formats/documents/document-reader.js';
import { type FormatLimits } from '../../formats/sources/format-limits.js';
import { getTransferList, packDesign, type PackedDesignData } from '../../formats/design-file/packed-design.js';
import { createRemoteRenderEngines } from '../../formats/engines/render-engines.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { defineTask, type AskMainThread, TransferredValue, InlineTaskRunner } from '../../core/workers/task.js';
import { enrichDesign } from './enrich-design.js';
import { importDesign, importDesignAs } from '../formats/import-design.js';
import { type ImportedDesign, type ImportOptions } from '../formats/format.js';
import { type SourceType } from '../formats/source-type.js';

interface ImportTaskInput {
  file: SourceFile;
  /** Null for all types. */
  types: readonly SourceType[] | null;
  options: Omit<ImportOptions, 'programs' | 'limits'>;
  limits: FormatLimits;
}

/** An import with the design compressed; nothing else of it is as large as the file. */
export interface PackedImport extends Omit<ImportedDesign, 'design'> {
  design: PackedDesignData;
}

/** Reads a file as importDesign and importDesignAs do, and enriches the design, from bytes to bytes; asks for programs and the registry. */
export const importTask = defineTask<ImportTaskInput, PackedImport>(import.meta.url, { importInWorker });

/** Task of the worker pool. */
export async function importInWorker(
  { file, types, options, limits }: ImportTaskInput,
  ask: AskMainThread,
): Promise<TransferredValue<PackedImport>> {
  const reader = new DocumentReader(new InlineTaskRunner(), limits);
  const all = { ...options, limits, programs: createRemoteRenderEngines(ask, limits) };
  const imported = types ? await importDesignAs(types, file, reader, all) : await importDesign(file, reader, all);
  const { design, warnings } = await enrichDesign(imported.design, ask);
  const data = packDesign(design);
  return new TransferredValue(
    { ...imported, design: data, warnings: [...imported.warnings, ...warnings] },
    getTransferList(data),
  );
}
