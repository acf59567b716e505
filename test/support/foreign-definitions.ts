import { readFileSync } from 'node:fs';
import { AppError } from '../../src/core/errors/app-error.js';
import { asObject, asText, type JsonObject } from '../../src/core/json/json.js';
import { parseDocuments } from '../../src/formats/documents/parse-documents.js';
import { filesBelow, resourcesIn } from '../../src/designs/formats/corpus.fixture.js';

/** The definitions in the files of a folder, by `group/Kind`; read when first asked for. */
export class ForeignDefinitions {
  private known?: Map<string, JsonObject>;

  constructor(private readonly folders: string[]) {}

  of(group: string, kind: string): JsonObject | undefined {
    return (this.known ??= this.read()).get(`${group}/${kind}`);
  }

  private read(): Map<string, JsonObject> {
    const found = new Map<string, JsonObject>();
    for (const file of this.folders.flatMap((folder) => filesBelow(folder, /\.(?:ya?ml|json)$/))) {
      const bytes = readFileSync(file);
      if (!bytes.includes('kind: CustomResourceDefinition') && !bytes.includes('"CustomResourceDefinition"')) continue;
      for (const definition of documentsIn(file, bytes).flatMap(({ value }) => resourcesIn(value))) {
        if (definition['kind'] !== 'CustomResourceDefinition') continue;
        const spec = asObject(definition['spec']);
        found.set(`${asText(spec['group'])}/${asText(asObject(spec['names'])['kind'])}`, definition);
      }
    }
    return found;
  }
}

/** None of a file that is no YAML, such as a template. */
function documentsIn(path: string, bytes: Buffer): ReturnType<typeof parseDocuments> {
  try {
    return parseDocuments({ path, bytes });
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
