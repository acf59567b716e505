import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiQuery, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** An empty response: `{}`. */
export const ApiEmptyResponse = (description: string): MethodDecorator =>
  ApiOkResponse({ description, schema: { type: 'object', maxProperties: 0 } });

/** A file response with any of these media types. */
export const ApiFileResponse = (description: string, ...mediaTypes: string[]): MethodDecorator =>
  applyDecorators(
    ApiProduces(...mediaTypes),
    ApiOkResponse({ description, schema: { type: 'string', format: 'binary' } }),
  );

/** A stream of server-sent events until the client disconnects. */
export const ApiEventStream = (): MethodDecorator =>
  applyDecorators(
    ApiProduces('text/event-stream'),
    ApiOkResponse({ description: 'Server-sent events, each with an event as JSON.', schema: { type: 'string' } }),
  );

/** The response to `save: false`: the record without an id. */
export const ApiPreviewResponse = (description: string): MethodDecorator =>
  ApiOkResponse({
    description,
    schema: { type: 'object', properties: { id: { type: 'null' } }, additionalProperties: true },
  });

/** A query parameter that is `true` or `false`. */
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
