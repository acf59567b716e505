import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { GraphQLSchemaBuilderModule, GraphQLSchemaFactory, RESOLVER_TYPE_METADATA } from '@nestjs/graphql';
import { SCHEMA_DIRECTIVES } from '../src/core/graphql/directives.js';
import { printSortedSchema } from '../src/core/graphql/print-schema.js';
import { buildOpenApiDocument } from '../src/core/rest/openapi/openapi-document.js';
import { createPreviewApp, PREVIEW_URL } from '../src/preview-app.js';

/** The documents of both APIs by their path in the repository. */
export async function buildApiDocuments(): Promise<Record<string, string>> {
  const app = await createPreviewApp();
  return {
    'docs/api/openapi.json': `${JSON.stringify(buildOpenApiDocument(app, PREVIEW_URL), null, 2)}\n`,
    'docs/api/schema.graphql': await printGraphqlSchema(app),
  };
}

async function printGraphqlSchema(app: INestApplicationContext): Promise<string> {
  const context = await NestFactory.createApplicationContext(SchemaModule, { logger: ['error'] });
  const schema = await context.get(GraphQLSchemaFactory).create(findResolvers(app), { directives: SCHEMA_DIRECTIVES });
  await context.close();
  return printSortedSchema(schema);
}

@Module({ imports: [GraphQLSchemaBuilderModule] })
class SchemaModule {}

function findResolvers(app: INestApplicationContext): Type[] {
  const providers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.providers.values()]);
  return providers.flatMap(({ metatype }) =>
    metatype && Reflect.hasMetadata(RESOLVER_TYPE_METADATA, metatype) ? [metatype as Type] : [],
  );
}
