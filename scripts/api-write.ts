import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildApiDocuments } from './api-documents.js';

const documents = await buildApiDocuments();
// `--print` writes no file: all documents as JSON, by their paths.
if (process.argv.includes('--print')) process.stdout.write(JSON.stringify(documents));
else
  for (const [path, text] of Object.entries(documents)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
