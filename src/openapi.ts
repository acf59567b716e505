import { writeFileSync } from 'node:fs';
import { buildOpenApiDocument } from './core/rest/openapi/openapi-document.js';
import { createPreviewApp, PREVIEW_URL } from './preview-app.js';

// Writes the document that the server serves to the file named as the argument; a step of the build.
const [file = 'openapi.json'] = process.argv.slice(2);
writeFileSync(file, JSON.stringify(buildOpenApiDocument(await createPreviewApp(), PREVIEW_URL)));
