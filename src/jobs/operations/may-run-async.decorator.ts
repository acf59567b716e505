import { applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse } from '@nestjs/swagger';
import { ApiFlagQuery } from '../../core/rest/openapi/schemas.js';
import { OperationView } from './operation.view.js';

/** Documents a route that runs in the background with `?async=true` and answers 202 with the operation. */
export const MayRunAsync = (): MethodDecorator =>
  applyDecorators(
    ApiFlagQuery('async', 'true responds with 202 at once; the operation shows its progress.'),
    ApiAcceptedResponse({
      type: OperationView,
      description: 'The operation was accepted and continues in the background.',
    }),
  );
