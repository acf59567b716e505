import { applyDecorators, RequestMethod, SetMetadata, UseInterceptors } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { ApiOperation } from '@nestjs/swagger';
import { IdempotencyInterceptor } from '../idempotency.interceptor.js';
import { type OperationNotes, REST_OPERATION, type RestOperationMetadata } from './rest-operation.metadata.js';

/** Stands in examples for the id of a record of the reader. */
export const EXAMPLE_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

/**
 * Documents a route: the name of its function in generated clients (a verb and a noun, unique), what it does in a few
 * words, and what callers should know. A write is done once for an idempotency key.
 */
export const RestOperation = (
  id: string,
  summary: string,
  description: string,
  notes: OperationNotes = {},
): MethodDecorator =>
  applyDecorators(
    SetMetadata(REST_OPERATION, { id, ...notes } satisfies RestOperationMetadata),
    ApiOperation({ summary, description, deprecated: notes.deprecated }),
    onceForKey,
  );

/** The decorator of the method stands below, so that it is applied first. */
const onceForKey: MethodDecorator = (target, key, descriptor: PropertyDescriptor) => {
  const isRead = Reflect.getMetadata(METHOD_METADATA, descriptor.value as object) === RequestMethod.GET;
  if (!isRead) UseInterceptors(IdempotencyInterceptor)(target, key, descriptor);
};
