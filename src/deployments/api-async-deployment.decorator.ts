import { applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse } from '@nestjs/swagger';
import { ApiFlagQuery } from '../core/rest/openapi/schemas.js';
import { DeploymentView } from './deployment.view.js';

/** Documents a route that deploys: it waits for the end unless `?async=true`. */
export const ApiAsyncDeployment = (): MethodDecorator =>
  applyDecorators(
    ApiFlagQuery('async', 'true answers 202 at once.'),
    ApiAcceptedResponse({
      type: DeploymentView,
      description: 'The deployment continues in the background, or waits for approval.',
    }),
  );
