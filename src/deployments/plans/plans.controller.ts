import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentsService } from '../deployments.service.js';
import { PlanReadingService } from './plan-reading.service.js';
import { PlanView } from './plan.view.js';

@ApiTags('deployments')
@Controller()
export class PlansController {
  constructor(private readonly plans: PlanReadingService) {}

  @RestOperation(
    'getDeploymentPlan',
    'Read the plan of a deployment',
    'Reads the plan that the deployment was requested with, as it was made. There is none of one that was requested without a plan and without approval.',
  )
  @Get('deployments/:id/plan')
  @RequiresRight(deploymentPolicy.read, DeploymentsService)
  @ApiOkResponse({ type: PlanView })
  ofDeployment(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PlanView> {
    return this.plans.getOfDeployment(actor, id);
  }

  @RestOperation(
    'getPlan',
    'Read a plan',
    'Reads a plan as it was made. Plans are kept for a day, and longer when a deployment was requested with them.',
  )
  @Get('plans/:plan_id')
  @RequiresRight(deploymentPolicy.read)
  @ApiOkResponse({ type: PlanView })
  get(@CurrentActor() actor: Actor, @IdParam('plan_id') id: string): Promise<PlanView> {
    return this.plans.get(actor, id);
  }
}
