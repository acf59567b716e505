import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { PromotionRequest, RollbackRequest } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentView } from '../deployment.view.js';
import { DeploymentsService } from '../deployments.service.js';
import { CancellationsService } from './cancellations.service.js';
import { DeploymentPresenter } from './deployment.presenter.js';
import { PromotionsService } from './promotions.service.js';
import { RollbacksService } from './rollbacks.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ApiAsyncDeployment } from '../api-async-deployment.decorator.js';
import { FlagQuery } from '../../core/rest/flag.pipe.js';

/** Actions on a deployment: cancel, roll back, promote. */
@ApiTags('deployments')
@Controller('deployments')
export class DeploymentChangesController {
  constructor(
    private readonly cancellations: CancellationsService,
    private readonly rollbacks: RollbacksService,
    private readonly promotions: PromotionsService,
    private readonly answers: DeploymentPresenter,
  ) {}

  @RestOperation(
    'cancelDeployment',
    'Cancel a deployment',
    'Cancels a deployment that is queued, running or waiting for approval.',
  )
  @Post(':id/cancel')
  @RequiresRight(deploymentPolicy.cancel, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async cancel(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<DeploymentView> {
    return DeploymentView.fromEntity(await this.cancellations.cancel(actor, id));
  }

  @RestOperation(
    'rollBackDeployment',
    'Roll back a deployment',
    'Deploys an earlier version of the design: the given one, or the one that was deployed before that deployment. Waits for the end unless `async=true`.',
    { errors: [422, 502, 504] },
  )
  @Post(':id/rollback')
  @RequiresRight(deploymentPolicy.deploy, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  @ApiAsyncDeployment()
  async rollback(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: RollbackRequest,
    @FlagQuery('async') later: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    return this.answers.respond(actor, await this.rollbacks.rollback(actor, id, input), later, response);
  }

  @RestOperation(
    'promoteDeployment',
    'Promote a deployment',
    'Deploys the version of a deployment that succeeded, with its values and files, in another environment of the workspace. Waits for the ' +
      'end unless `async=true`.',
    { errors: [422, 502, 504] },
  )
  @Post(':id/promote')
  @RequiresRight(deploymentPolicy.deploy, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  @ApiAsyncDeployment()
  async promote(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: PromotionRequest,
    @FlagQuery('async') later: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    return this.answers.respond(actor, await this.promotions.promote(actor, id, input), later, response);
  }
}
