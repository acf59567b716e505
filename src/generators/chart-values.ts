import { isObject, type JsonObject } from '../core/json/json.js';
import { toPointer } from '../core/json/json-pointer.js';
import { decodeText } from '../formats/documents/decode-text.js';
import { type Chart } from './chart.js';
import { type GenerationCollector } from './generation-collector.js';
import { findReferences } from './schema-walk.js';
import { truncateText } from './truncate-text.js';
import { type GeneratorSource } from './generator-source.js';
import { ValuesComments } from './values-comments.js';
import { inferSchema } from './values-schema.js';

/** The schema of the values of a chart as compact JSON, and its source file. */
export interface ValuesSchema {
  schema: string;
  from: 'values.schema.json' | 'values.yaml' | 'nothing';
}

/** The schema in the chart, or one inferred from its default values; undefined when neither can be read, with the fault in `contents`. */
export function readValuesSchema(
  source: GeneratorSource,
  chart: Chart,
  title: string,
  contents: GenerationCollector,
): ValuesSchema | undefined {
  const written = (schema: JsonObject, from: ValuesSchema['from']): ValuesSchema => ({
    schema: JSON.stringify({ title, ...schema }),
    from,
  });
  const stated = readStatedSchema(source, chart, contents);
  if (stated) return written(stated, 'values.schema.json');
  const file = source.files.find(({ path }) => path === `${chart.root}values.yaml`);
  if (!file) return written({ type: 'object' }, 'nothing');
  const documents = source.tryDocuments(file);
  if (!Array.isArray(documents)) {
    contents.rejectFile(file.path, documents);
    return undefined;
  }
  const [document] = documents;
  if (!document) return written({ type: 'object' }, 'nothing');
  if (!document.object) {
    contents.addFault('component', { document, pointer: '' }, 'must be an object', 'Write the values by name.');
    return undefined;
  }
  const lines = decodeText(file, source.limits.textBytes).split('\n');
  return written(inferSchema(document, new ValuesComments(lines)), 'values.yaml');
}

function readStatedSchema(
  source: GeneratorSource,
  { root }: Chart,
  contents: GenerationCollector,
): JsonObject | undefined {
  const file = source.files.find(({ path }) => path === `${root}values.schema.json`);
  if (!file) return undefined;
  const documents = source.tryDocuments(file);
  if (!Array.isArray(documents)) {
    contents.rejectFile(file.path, documents);
    return undefined;
  }
  const [document] = documents;
  if (!document) return undefined;
  if (!isObject(document.value)) {
    contents.addFault(
      'file',
      { document, pointer: '' },
      'is not a schema, so the values themselves are asked',
      'Write an object.',
    );
    return undefined;
  }
  for (const { target, path } of findReferences(document.value)) {
    if (target.startsWith('#')) continue;
    const detail = `refers to ${truncateText(target, 200)}, which is not part of this file and is not read`;
    contents.addWarning({ document, pointer: toPointer(...path) }, detail, 'Put the schema into the file.');
  }
  return document.value;
}
