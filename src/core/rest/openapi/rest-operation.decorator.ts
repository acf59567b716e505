import { applyDecorators, RequestMethod, SetMetadata, UseInterceptors } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { ApiOperation } from '@nestjs/swagger';
import { IdempotencyInterceptor } from '../idempotency.interceptor.js';
import { type OperationNotes, REST_OPERATION, type RestOperationMetadata } from './rest-operation.metadata.js';

/**
 * Documents a route: its operation id, which names the function of generated clients (a verb and a noun, unique), a
 * short summary, and a description. Adds idempotency keys to writes.
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

/** The method decorator is written below this one, so it is applied first. */
const onceForKey: MethodDecorator = (target, key, descriptor: PropertyDescriptor) => {
  const isRead = Reflect.getMetadata(METHOD_METADATA, descriptor.value as object) === RequestMethod.GET;
  if (!isRead) UseInterceptors(IdempotencyInterceptor)(target, key, descriptor);
};
