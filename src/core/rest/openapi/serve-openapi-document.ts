import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { assertUniqueSchemas, findDocumentedRoutes } from './documented-routes.js';
import { buildOpenApiDocument } from './openapi-document.js';

/**
 * Written by the build beside the bundle, because generating the document blocks the event loop for a second. Absent
 * when the server runs from separate modules, as in tests and development.
 */
const BUILT_DOCUMENT = join(import.meta.dirname, 'openapi.json');

/** Serves the document at `/api/openapi.json` and `/api/openapi.yaml`; ReferenceController serves the reference page. */
export function serveOpenApiDocument(app: INestApplication, baseUrl: string): void {
  let document: OpenAPIObject | undefined;
  if (!existsSync(BUILT_DOCUMENT)) assertUniqueSchemas(findDocumentedRoutes(app).values());
  SwaggerModule.setup(
    'api',
    app,
    () => (document ??= readBuiltDocument(baseUrl) ?? buildOpenApiDocument(app, baseUrl)),
    {
      ui: false,
      jsonDocumentUrl: 'api/openapi.json',
      yamlDocumentUrl: 'api/openapi.yaml',
    },
  );
}

/** Reads the built document and inserts the URL of this server. */
function readBuiltDocument(baseUrl: string): OpenAPIObject | undefined {
  if (!existsSync(BUILT_DOCUMENT)) return undefined;
  const document = JSON.parse(readFileSync(BUILT_DOCUMENT, 'utf8')) as OpenAPIObject;
  return { ...document, servers: [{ url: baseUrl }] };
}
