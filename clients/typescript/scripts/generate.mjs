// Makes src/generated of docs/api/openapi.json, when the document or the generator has changed: the types of all requests and
// responses, and the table of operations. Neither is in the repository.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const DOCUMENT = new URL('../../../docs/api/openapi.json', import.meta.url);
const PACKAGE = new URL('../package.json', import.meta.url);
const OUTPUT = new URL('../src/generated/', import.meta.url);
/** The last file that is written. */
const KEY_FILE = new URL('.key', OUTPUT);

const JSON_TYPE = 'application/json';

/** Generates what is missing or stale. The types take seconds; a build that does not check types does without. */
export async function generate({ types = true } = {}) {
  const text = await readFile(DOCUMENT, 'utf8');
  const description = await readFile(PACKAGE, 'utf8');
  const sources = [text, description, await readFile(new URL(import.meta.url), 'utf8')];
  const key = createHash('sha256').update(sources.join('\0')).digest('hex');
  const [existing, level] = (await readFile(KEY_FILE, 'utf8').catch(() => '')).split(' ');
  if (existing === key && (level === 'types' || !types)) return;
  const document = JSON.parse(text);
  const operations = listOperations(document);
  await mkdir(OUTPUT, { recursive: true });
  await writeFile(new URL('table.ts', OUTPUT), printTable(operations, JSON.parse(description).version));
  if (types) {
    await writeFile(new URL('operations.ts', OUTPUT), printOperations(operations));
    await generateTypes(document);
  }
  await writeFile(KEY_FILE, `${key} ${types ? 'types' : 'table'}`);
}

function listOperations({ paths, components }) {
  const resolve = (schema) => (schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema);
  // PATCH does what PUT does.
  const isOffered = ([method]) => method !== 'patch';
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(isOffered)
      .map(([method, operation]) => {
        const success = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
        const contents = success.flatMap(([, { content = {} }]) => Object.entries(content));
        const parameters = operation.parameters ?? [];
        const hasCursor = parameters.some(({ name }) => name === 'cursor');
        const properties = resolve(contents[0]?.[1].schema)?.properties ?? {};
        return {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          // The first, for some pages have their records under two names.
          collection: hasCursor ? Object.keys(properties).find((name) => properties[name].items?.$ref) : undefined,
          needsOptions: path.includes('{') || Boolean(operation.requestBody?.required),
          data: dataType(operation.operationId, contents),
          deprecated: operation.deprecated,
          lines: [operation.summary, ...(operation.description ?? '').split('\n')],
        };
      }),
  );
}

/** What the client makes of a response by its media type: see `readData`. */
function dataType(id, contents) {
  const types = contents.map(([type, { schema }]) => {
    if (type === 'text/event-stream' || type === 'application/x-ndjson') return 'ReadableStream<Uint8Array>';
    if (schema.format === 'binary') return 'Blob';
    return type === JSON_TYPE ? `types.${id[0].toUpperCase()}${id.slice(1)}Response` : 'string';
  });
  return [...new Set(types)].join(' | ') || 'undefined';
}

function printTable(operations, version) {
  const rows = operations.map(({ id, method, path, collection }) =>
    `  ${id}: ${JSON.stringify([method, path, collection])},\n`.replace(',null', ''),
  );
  return `export const VERSION = '${version}';

/** Method and path of each operation, and the member of a page that has its records. */
export const TABLE = {
${rows.join('')}} as const;
`;
}

function printOperations(operations) {
  const methods = operations.map(({ id, needsOptions, data, deprecated, lines }) => {
    const text = [...lines.filter(Boolean), ...(deprecated ? ['@deprecated'] : [])].map(
      (line) => `   * ${line.replaceAll('*/', '*\\/')}\n`,
    );
    const type = `types.${id[0].toUpperCase()}${id.slice(1)}Data`;
    return `  /**\n${text.join('')}   */\n  ${id}(options${needsOptions ? '' : '?'}: CallOptions<${type}>): Promise<${data}>;\n`;
  });
  const pages = operations
    .filter(({ collection }) => collection)
    .map(
      ({ id, data, collection }) =>
        `  ${id}: { options: CallOptions<types.${id[0].toUpperCase()}${id.slice(1)}Data>; item: ${data}['${collection}'][number] };\n`,
    );
  return `import type { CallOptions } from '../call-options.js';
import type * as types from './types.gen.js';

/** A method for each operation of the API. */
export interface Operations {
${methods.join('')}}

/** The lists that have cursors, with the records that they are of. */
export interface Lists {
${pages.join('')}}
`;
}

async function generateTypes(document) {
  const { createClient } = await import('@hey-api/openapi-ts');
  for (const methods of Object.values(document.paths))
    for (const operation of Object.values(methods)) {
      // Errors are instances of one class, which has the problem.
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).filter(([status]) => status.startsWith('2')),
      );
      const content = operation.requestBody?.content;
      if (content && Object.keys(content).length > 1)
        operation.requestBody.content = {
          [JSON_TYPE]: { schema: { anyOf: Object.values(content).map(({ schema }) => schema) } },
        };
    }
  await createClient({
    input: document,
    output: { path: fileURLToPath(OUTPUT), clean: false, indexFile: false },
    plugins: ['@hey-api/typescript'],
    logs: { level: 'silent', file: false },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generate();
