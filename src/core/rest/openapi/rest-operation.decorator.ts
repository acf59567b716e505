import { applyDecorators, RequestMethod, SetMetadata, UseInterceptors } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { ApiOperation } from '@nestjs/swagger';
import { IdempotencyInterceptor } from '../idempotency.interceptor.js';
import type { ErrorStatus } from './shared-components.js';

/** Stands in examples for the id of a record of the reader. */
export const EXAMPLE_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

export const REST_OPERATION = 'armature:rest-operation';

/** What the document says of an operation beyond what its decorators imply. */
export interface OperationNotes {
  /** Errors of the work itself; those of rights, parameters, body and load are derived. */
  errors?: readonly ErrorStatus[];
  /**
   * Where the record that it creates is found, as a reference relative to the route with `{field}` of the answer;
   * `{id}` below the route unless said otherwise.
   */
  location?: string;
  /** The operation works with a token and without. */
  bearer?: 'optional';
  /** A health probe: neither counted nor limited. */
  probe?: true;
  /** A JSON body that a reader can send once the ids in it are those of own records. */
  example?: object;
  /** Another path of the same operation, kept for clients that know it. */
  deprecated?: true;
}

export interface RestOperationMetadata extends OperationNotes {
  id: string;
}

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
