import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiQuery, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** An answer that only says that it is done: `{}`. */
export const ApiEmptyResponse = (description: string): MethodDecorator =>
  ApiOkResponse({ description, schema: { type: 'object', maxProperties: 0 } });

/** An answer that is a file, in any of these media types. */
export const ApiFileResponse = (description: string, ...mediaTypes: string[]): MethodDecorator =>
  applyDecorators(
    ApiProduces(...mediaTypes),
    ApiOkResponse({ description, schema: { type: 'string', format: 'binary' } }),
  );

/** Server-sent events for as long as the caller listens. */
export const ApiEventStream = (): MethodDecorator =>
  applyDecorators(
    ApiProduces('text/event-stream'),
    ApiOkResponse({ description: 'Server-sent events, each with an event as JSON.', schema: { type: 'string' } }),
  );

/** The answer to `save: false`: the record as it would be, without an id. */
export const ApiPreviewResponse = (description: string): MethodDecorator =>
  ApiOkResponse({
    description,
    schema: { type: 'object', properties: { id: { type: 'null' } }, additionalProperties: true },
  });

/** A parameter of the query that is `true` or `false`. */
export const ApiFlagQuery = (name: string, description: string, preset = false): MethodDecorator =>
  ApiQuery({
    name,
    required: false,
    description,
    schema: { type: 'string', enum: ['true', 'false'], default: String(preset) },
  });

const refs = (types: Type<object>[]): Schema[] => types.map((type) => ({ $ref: getSchemaPath(type) }));

export const allOf = (...types: Type<object>[]): Schema => ({ allOf: refs(types) });
export const oneOf = (...types: Type<object>[]): Schema => ({ oneOf: refs(types) });
export const anyOf = (...schemas: Schema[]): Schema => ({ anyOf: schemas });
