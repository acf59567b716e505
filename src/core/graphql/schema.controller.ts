import { Controller, Get, Header } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access/access.decorators.js';
import { printSortedSchema } from './print-schema.js';

/** Serves the GraphQL schema as a file, for client generators. */
@Public()
@ApiExcludeController()
@Controller('docs/schema.graphql')
export class SchemaController {
  private sdl: string | undefined;

  constructor(private readonly host: GraphQLSchemaHost) {}

  @Get()
  @Header('Content-Type', 'application/graphql; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="schema.graphql"')
  download(): string {
    return (this.sdl ??= printSortedSchema(this.host.schema));
  }
}
