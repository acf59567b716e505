import { Body, Controller, Delete, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { RequiresBodyRight } from '../core/rest/rights/rights.decorators.js';
import { DesignsService } from '../designs/designs.service.js';
import { DeploymentPresenter } from './deployment.presenter.js';
import { DeploymentListQuery, DeployRequest, PlanRequest, TargetQuery, UndeployRequest } from './deployment.inputs.js';
import { deploymentPolicy } from './deployment.policy.js';
import { DeploymentPage, DeploymentView } from './deployment.view.js';
import { DeploymentsService } from './deployments.service.js';
import { PlanView } from './plan/plan.view.js';
import { PlansService } from './plan/plans.service.js';

@ApiTags('deployments')
@ApiBearerAuth()
@Controller('api/pattern')
export class DesignDeploymentsController {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly plans: PlansService,
    private readonly answers: DeploymentPresenter,
  ) {}

  @Post('deploy/plan')
  @RequiresBodyRight(deploymentPolicy.plan, DesignsService)
  @HttpCode(200)
  @ApiOkResponse({ type: PlanView })
  plan(@CurrentActor() actor: Actor, @Body() input: PlanRequest, @Query() query: TargetQuery): Promise<PlanView> {
    return this.plans.plan(actor, query.mergeInto(input));
  }

  /**
   * Deploys, and waits for the end unless `?async=true`: 200 only when all of it has succeeded. Of a chart, hooks for installing
   * and upgrading are deployed like its other resources; those for `helm test`, deleting and rolling back are left out.
   */
  @Post('deploy')
  @RequiresBodyRight(deploymentPolicy.deploy, DesignsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  @ApiAcceptedResponse({ type: DeploymentView })
  async deploy(
    @CurrentActor() actor: Actor,
    @Body() input: DeployRequest,
    @Query() query: TargetQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView | PlanView> {
    const wanted = query.mergeInto(input);
    if (wanted.dry_run) return this.plans.plan(actor, wanted);
    return this.answers.respond(actor, await this.deployments.deploy(actor, wanted), request, response);
  }

  @Delete('deploy')
  @RequiresBodyRight(deploymentPolicy.deploy, DeploymentsService)
  @ApiOkResponse({ type: DeploymentView })
  @ApiAcceptedResponse({ type: DeploymentView })
  async undeploy(
    @CurrentActor() actor: Actor,
    @Body() input: UndeployRequest,
    @Query() query: TargetQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    return this.answers.respond(
      actor,
      await this.deployments.undeploy(actor, query.mergeInto(input)),
      request,
      response,
    );
  }

  @Get(':id/deployments')
  @ApiOkResponse({ type: DeploymentPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: DeploymentListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.deployments.list(actor, query, id), 'deployments', DeploymentView.fromEntity);
  }
}
