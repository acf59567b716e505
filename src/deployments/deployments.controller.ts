import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { Id } from '../core/rest/id.js';
import { Requires } from '../core/rest/rights/requires.js';
import { ApprovalsService } from './approvals.service.js';
import { CancellationsService } from './cancellations.service.js';
import { DeploymentAnswers } from './deployment-answers.js';
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
    private readonly answers: DeploymentAnswers,
  ) {}

  @Get()
  @ApiOkResponse({ type: DeploymentPage })
  async list(@Caller() actor: Actor, @Query() query: DeploymentListQuery): Promise<Envelope> {
    return envelope(await this.deployments.list(actor, query), 'deployments', DeploymentView.of);
  }

  @Get(':id')
  @ApiOkResponse({ type: DeploymentView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<DeploymentView> {
    return DeploymentView.of(await this.deployments.get(actor, id));
  }

  @Post(':id/cancel')
  @Requires(deploymentPolicy.cancel, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async cancel(@Caller() actor: Actor, @Id() id: string): Promise<DeploymentView> {
    return DeploymentView.of(await this.cancellations.cancel(actor, id));
  }

  @Post(':id/approve')
  @Requires(deploymentPolicy.approve, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async approve(
    @Caller() actor: Actor,
    @Id() id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    return this.answers.answer(actor, await this.approvals.approve(actor, id), request, response);
  }

  @Post(':id/reject')
  @Requires(deploymentPolicy.approve, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async reject(@Caller() actor: Actor, @Id() id: string): Promise<DeploymentView> {
    return DeploymentView.of(await this.approvals.reject(actor, id));
  }

  @Post(':id/rollback')
  @Requires(deploymentPolicy.deploy, DeploymentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  async rollback(
    @Caller() actor: Actor,
    @Id() id: string,
    @Body() input: RollbackRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    return this.answers.answer(actor, await this.rollbacks.rollback(actor, id, input), request, response);
  }
}
