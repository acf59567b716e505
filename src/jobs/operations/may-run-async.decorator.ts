import { applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse } from '@nestjs/swagger';
import { ApiFlagQuery } from '../../core/rest/openapi/schemas.js';
import { OperationView } from './operation.view.js';

/** Documents a route that with `?async=true` answers 202 with the operation that goes on. */
export const MayRunAsync = (): MethodDecorator =>
  applyDecorators(
    ApiFlagQuery('async', 'true answers 202 at once; the operation shows its progress.'),
    ApiAcceptedResponse({
      type: OperationView,
      description: 'The operation was accepted and continues in the background.',
    }),
  );
