import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiProduces,
  ApiProperty,
  ApiQuery,
  getSchemaPath,
  OmitType,
  type OpenAPIObject,
} from '@nestjs/swagger';
import type { RecordView } from '../../schema/record.view.js';

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** An empty response: `{}`. */
export const ApiEmptyResponse = (description: string): MethodDecorator =>
  ApiOkResponse({ description, schema: { type: 'object', additionalProperties: false } });

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

/** Creates the view of a record that was parsed and not stored (`save: false`): its id and times are null. */
export function PreviewOf(view: Type<RecordView>, name: string): Type<object> {
  class Preview extends OmitType(view, ['id', 'created_at', 'updated_at']) {
    @ApiProperty({ type: 'null', description: 'Null, since nothing is stored.' })
    id!: null;

    @ApiProperty({ type: 'null', description: 'Null, since nothing is stored.' })
    created_at!: null;

    @ApiProperty({ type: 'null', description: 'Null, since nothing is stored.' })
    updated_at!: null;
  }
  Object.defineProperty(Preview, 'name', { value: name });
  return Preview;
}

/** A query parameter that is `true` or `false`. */
export const ApiFlagQuery = (name: string, description: string, preset = false): MethodDecorator =>
  ApiQuery({
    name,
    required: false,
    description,
    schema: { type: 'string', enum: ['true', 'false'], default: String(preset) },
  });

const refs = (types: Type<object>[]): Schema[] => types.map((type) => ({ $ref: getSchemaPath(type) }));

export const oneOf = (...types: Type<object>[]): Schema => ({ oneOf: refs(types) });
export const anyOf = (...types: Type<object>[]): Schema => ({ anyOf: refs(types) });
