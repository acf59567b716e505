import { applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse } from '@nestjs/swagger';
import { ApiFlagQuery } from '../core/rest/openapi/schemas.js';
import { DeploymentView } from './deployment.view.js';

/** Documents a route that starts a deployment: it responds when the deployment has ended, or with 202 for `?async=true`. */
export const ApiAsyncDeployment = (): MethodDecorator =>
  applyDecorators(
    ApiFlagQuery('async', 'true responds with 202 at once.'),
    ApiAcceptedResponse({
      type: DeploymentView,
      description: 'The deployment continues in the background, or waits for approval.',
    }),
  );
