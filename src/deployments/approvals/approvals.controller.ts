import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { ApprovalRequest, RejectionRequest } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentView } from '../deployment.view.js';
import { DeploymentsService } from '../deployments.service.js';
import { DeploymentPresenter } from '../requests/deployment.presenter.js';
import { ApprovalsService } from './approvals.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ApiAsyncDeployment } from '../api-async-deployment.decorator.js';
import { FlagQuery } from '../../core/rest/flag.pipe.js';

@ApiTags('deployments')
@Controller('deployments')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly answers: DeploymentPresenter,
  ) {}

  @RestOperation(
    'approveDeployment',
    'Approve a deployment',
    'Adds the approval of the caller. With the last that it needs the deployment goes ahead, and the call waits for its end unless ' +
      '`async=true`; until then the response is 202.',
    { errors: [422, 502, 504] },
  )
  @Post(':id/approve')
  @RequiresRight(deploymentPolicy.approve, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  @ApiAsyncDeployment()
  async approve(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: ApprovalRequest,
    @FlagQuery('async') later: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    return this.answers.respond(actor, await this.approvals.approve(actor, id, input.reason), later, response);
  }

  @RestOperation(
    'rejectDeployment',
    'Reject a deployment',
    'Ends a deployment that waits for approval. One rejection is enough.',
  )
  @Post(':id/reject')
  @RequiresRight(deploymentPolicy.approve, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async reject(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() { reason }: RejectionRequest,
  ): Promise<DeploymentView> {
    return DeploymentView.fromEntity(await this.approvals.reject(actor, id, reason));
  }
}
