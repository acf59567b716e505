import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildApiDocuments } from './api-documents.js';
import { describeNewSchema } from './schema-document.js';

const documents = await buildApiDocuments();
// `--print` writes no file: the documents of both APIs as JSON, by their paths.
if (process.argv.includes('--print')) process.stdout.write(JSON.stringify(documents));
else
  for (const [path, text] of Object.entries({ ...documents, 'docs/api/schema.sql': await describeNewSchema() })) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
