import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { buildOpenApiDocument } from './openapi-document.js';

/** Serves the document at `/api/openapi.json` and `/api/openapi.yaml`; ReferenceController serves the page that shows it. */
export function serveOpenApiDocument(app: INestApplication, baseUrl: string): void {
  let document: OpenAPIObject | undefined;
  SwaggerModule.setup('api', app, () => (document ??= buildOpenApiDocument(app, baseUrl)), {
    ui: false,
    jsonDocumentUrl: 'api/openapi.json',
    yamlDocumentUrl: 'api/openapi.yaml',
  });
}
