import { Body, Controller, Delete, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { DesignsService } from '../../designs/designs.service.js';
import { DeploymentPresenter } from './deployment.presenter.js';
import {
  assertFileFits,
  DeployRequest,
  PlanRequest,
  TargetQuery,
  UndeployQuery,
  UndeployRequest,
} from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentView } from '../deployment.view.js';
import { PlanView } from '../plans/plan.view.js';
import { DeployRights } from './deploy-rights.service.js';
import { DesignDeploymentsService } from './design-deployments.service.js';
import { UndeploymentsService } from './undeployments.service.js';
import { PlansService } from '../plans/plans.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ApiAsyncDeployment } from '../api-async-deployment.decorator.js';
import { ApiFlagQuery } from '../../core/rest/openapi/schemas.js';
import { FlagQuery } from '../../core/rest/flag.pipe.js';

@ApiTags('deployments')
@Controller('pattern')
export class DesignDeploymentsController {
  constructor(
    private readonly deployments: DesignDeploymentsService,
    private readonly undeployments: UndeploymentsService,
    private readonly plans: PlansService,
    private readonly answers: DeploymentPresenter,
  ) {}

  @AuditedCall()
  @RestOperation(
    'planDeployment',
    'Plan a deployment',
    'Plans the deployment of a design as a dry run on its clusters. The plan can be deployed by its id.',
    { errors: [422, 502, 504] },
  )
  @Post('deploy/plan')
  @RequiresBodyRight(deploymentPolicy.plan, DesignsService)
  @HttpCode(200)
  @ApiOkResponse({ type: PlanView })
  plan(@CurrentActor() actor: Actor, @Body() input: PlanRequest, @Query() query: TargetQuery): Promise<PlanView> {
    return this.plans.plan(actor, query.mergeInto(input));
  }

  @RestOperation(
    'deployDesign',
    'Deploy a design',
    'Deploys a design and waits for the end unless `async=true`: 200 only when all of it succeeded. Of a chart, hooks ' +
      'are run in their phases; those for tests are left out.',
    { errors: [422, 502, 504] },
  )
  @Post('deploy')
  @RequiresBodyRight(deploymentPolicy.deploy, DeployRights)
  @HttpCode(200)
  @ApiOkResponse({ type: DeploymentView })
  @ApiAsyncDeployment()
  async deploy(
    @CurrentActor() actor: Actor,
    @Body() input: DeployRequest,
    @Query() query: TargetQuery,
    @FlagQuery('async') later: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    const wanted = query.mergeInto(input);
    assertFileFits(wanted);
    return this.answers.respond(actor, await this.deployments.deploy(actor, wanted), later, response);
  }

  @RestOperation(
    'undeployDesign',
    'Undeploy a design',
    'Deletes the resources that a deployment of the design owns, and waits for the end unless `async=true`.',
    { errors: [422, 502, 504] },
  )
  @Delete('deploy')
  @RequiresBodyRight(deploymentPolicy.deploy, UndeploymentsService)
  @ApiOkResponse({ type: DeploymentView })
  @ApiAsyncDeployment()
  @ApiFlagQuery('request_approval', 'The same as in the body.')
  async undeploy(
    @CurrentActor() actor: Actor,
    @Body() input: UndeployRequest,
    @Query() query: UndeployQuery,
    @FlagQuery('async') later: boolean,
    @FlagQuery('request_approval') needsApproval: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeploymentView> {
    const wanted = query.mergeInto(input);
    wanted.request_approval ??= needsApproval;
    return this.answers.respond(actor, await this.undeployments.undeploy(actor, wanted), later, response);
  }
}
