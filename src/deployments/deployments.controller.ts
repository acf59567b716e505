import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { ApprovalsService } from './approvals.service.js';
import { CancellationsService } from './cancellations.service.js';
import { DeploymentPresenter } from './deployment.presenter.js';
import { DeploymentListQuery, RollbackRequest } from './deployment.inputs.js';
import { deploymentPolicy } from './deployment.policy.js';
import { DeploymentPage, DeploymentView } from './deployment.view.js';
import { DeploymentsService } from './deployments.service.js';
import { RollbacksService } from './rollbacks.service.js';

@ApiTags('deployments')
@ApiBearerAuth()
@Controller('api/deployments')
export class DeploymentsController {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly approvals: ApprovalsService,
    private readonly cancellations: CancellationsService,
    private readonly rollbacks: RollbacksService,
    private readonly answers: DeploymentPresenter,
  ) {}

  @Get()
  @ApiOkResponse({ type: DeploymentPage })
  async list(@CurrentActor() actor: Actor, @Query() query: DeploymentListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.deployments.list(actor, query), 'deployments', DeploymentView.fromEntity);
  }

  @Get(':id')
  @ApiOkResponse({ type: DeploymentView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<DeploymentView> {
    return DeploymentView.fromEntity(await this.deployments.get(actor, id));
  }

  @Post(':id/cancel')
  @RequiresRight(deploymentPolicy.cancel, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async cancel(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<DeploymentView> {
    return DeploymentView.fromEntity(await this.cancellations.cancel(actor, id));
  }

  @Post(':id/approve')
  @RequiresRight(deploymentPolicy.approve, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async approve(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    return this.answers.respond(actor, await this.approvals.approve(actor, id), request, response);
  }

  @Post(':id/reject')
  @RequiresRight(deploymentPolicy.approve, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async reject(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<DeploymentView> {
    return DeploymentView.fromEntity(await this.approvals.reject(actor, id));
  }

  @Post(':id/rollback')
  @RequiresRight(deploymentPolicy.deploy, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async rollback(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: RollbackRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    return this.answers.respond(actor, await this.rollbacks.rollback(actor, id, input), request, response);
  }
}
