import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { DeploymentListQuery } from './deployment.inputs.js';
import { DeploymentPage, DeploymentView } from './deployment.view.js';
import { DeploymentsService } from './deployments.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('deployments')
@Controller()
export class DeploymentsController {
  constructor(private readonly deployments: DeploymentsService) {}

  @RestOperation(
    'listDeployments',
    'List deployments',
    'Lists the deployments that the caller sees; with `filter={"deployed":true}` those that made what is on a cluster now.',
  )
  @Get('deployments')
  @ApiOkResponse({ type: DeploymentPage })
  async list(@CurrentActor() actor: Actor, @Query() query: DeploymentListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.deployments.list(actor, query), 'deployments', DeploymentView.fromEntity);
  }

  @RestOperation('getDeployment', 'Read a deployment', 'Reads a deployment with its resources.')
  @Get('deployments/:id')
  @ApiOkResponse({ type: DeploymentView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<DeploymentView> {
    return DeploymentView.fromEntity(await this.deployments.get(actor, id));
  }

  @RestOperation('listDesignDeployments', 'List deployments of a design', 'Lists the deployments of a design.')
  @Get('pattern/:id/deployments')
  @ApiOkResponse({ type: DeploymentPage })
  async listByDesign(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: DeploymentListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.deployments.list(actor, query, id), 'deployments', DeploymentView.fromEntity);
  }
}
