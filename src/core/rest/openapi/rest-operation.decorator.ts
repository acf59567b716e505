import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { onceForIdempotencyKey } from '../pipeline.js';
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
    onceForIdempotencyKey,
  );
