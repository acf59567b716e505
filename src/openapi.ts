import { writeFileSync } from 'node:fs';
import { buildOpenApiDocument } from './core/rest/openapi/openapi-document.js';
import { createPreviewApp, PREVIEW_URL } from './preview-app.js';

// Writes the OpenAPI document to the file given as the argument. A step of the build.
const [file = 'openapi.json'] = process.argv.slice(2);
writeFileSync(file, JSON.stringify(buildOpenApiDocument(await createPreviewApp(), PREVIEW_URL)));
