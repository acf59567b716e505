import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Env } from '../config/env.js';
import { PROBLEM_SCHEMA } from '../errors/problem.schema.js';

/** Makes the OpenAPI 3.1 document of the server: what the decorators say, and the problems that every route may answer. */
export function buildOpenApiDocument(app: INestApplication, env: Env): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Armature')
    .setDescription('Manages cloud native infrastructure: designs, environments, workspaces, deployments.')
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(env.baseUrl)
    .addBearerAuth()
    .setOpenAPIVersion('3.1.0')
    .build();
  const document = SwaggerModule.createDocument(app, builder, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}.${method}`,
  });
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: PROBLEM_SCHEMA },
  };
  const failure = {
    description: 'The call failed.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  for (const path of Object.values(document.paths))
    for (const operation of [path.get, path.post, path.put, path.delete])
      if (operation) operation.responses.default ??= failure;
  return document;
}

/** Serves the document at `/api/openapi.json` and an interactive reference at `/api/docs`, all from this server. */
export function serveApiReference(app: INestApplication, env: Env): void {
  let document: OpenAPIObject | undefined;
  SwaggerModule.setup('api/docs', app, () => (document ??= buildOpenApiDocument(app, env)), {
    jsonDocumentUrl: 'api/openapi.json',
    yamlDocumentUrl: 'api/openapi.yaml',
    swaggerOptions: { persistAuthorization: false },
    customSiteTitle: 'Armature API',
  });
}
