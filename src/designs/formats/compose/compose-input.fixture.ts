import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import type { JsonObject } from '../../../core/json/json.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { type FormatInput, type ImportedDesign, type ImportOptions } from '../format.js';
import { composeFormat } from './compose-format.js';

/** One file when it is text, an archive when it is files by path. */
export function composeInput(content: string | Record<string, string | Uint8Array>): FormatInput {
  const archive = typeof content !== 'string';
  const files = new Map<string, SourceFile>();
  for (const [path, text] of Object.entries(archive ? content : { 'shop.yaml': content })) {
    files.set(path, { path, bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text });
  }
  return {
    name: archive ? 'shop.zip' : 'shop.yaml',
    archive,
    files,
    chosenPath: '',
    isChosen: () => true,
    documents: (path = [...files.keys()][0] ?? '', dialect) => {
      const file = files.get(path);
      return Promise.resolve(file ? parseDocuments(file, dialect) : []);
    },
    parse: (file, dialect) => Promise.resolve(parseDocuments(file, dialect)),
  };
}

export function importCompose(
  content: string | Record<string, string | Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportedDesign> {
  return composeFormat.read(composeInput(content), options);
}

/** The resources of a design by `Kind/name`. */
export function resourcesOf({ design }: ImportedDesign): Map<string, JsonObject> {
  return new Map(
    design.components.map(({ component, displayName, configuration }) => [
      `${component.kind}/${displayName}`,
      configuration,
    ]),
  );
}
