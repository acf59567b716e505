import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ConnectionPage, ConnectionView } from '../../connections/connection.view.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { environmentPolicy } from '../environment.policy.js';
import { EnvironmentsService } from '../environments.service.js';
import { EnvironmentConnectionView } from './environment-connection.view.js';
import { EnvironmentConnectionsService } from './environment-connections.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('environments')
@Controller('environments/:environmentID/connections')
export class EnvironmentConnectionsController {
  constructor(private readonly mappings: EnvironmentConnectionsService) {}

  @RestOperation(
    'listEnvironmentConnections',
    'List connections of an environment',
    'Lists the connections in an environment; with `filter={"assigned":false}` those of the organization that are not in it.',
  )
  @Get()
  @ApiOkResponse({ type: ConnectionPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam('environmentID') id: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.mappings.list(actor, id, query), 'connections', ConnectionView.fromListed);
  }

  @RestOperation(
    'addEnvironmentConnection',
    'Add a connection to an environment',
    'Adds a connection to an environment. Repeating the call changes nothing.',
  )
  @Post(':connectionID')
  @RequiresRight(environmentPolicy.connect, EnvironmentsService, 'environmentID')
  @HttpCode(200)
  @ApiOkResponse({ type: EnvironmentConnectionView })
  async add(
    @CurrentActor() actor: Actor,
    @IdParam('environmentID') id: string,
    @IdParam('connectionID') connectionId: string,
  ): Promise<EnvironmentConnectionView> {
    return EnvironmentConnectionView.fromEntity(await this.mappings.add(actor, id, connectionId));
  }

  @RestOperation(
    'removeEnvironmentConnection',
    'Remove a connection from an environment',
    'Removes a connection from an environment.',
  )
  @Delete(':connectionID')
  @RequiresRight(environmentPolicy.connect, EnvironmentsService, 'environmentID')
  @ApiOkResponse({ type: EnvironmentConnectionView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam('environmentID') id: string,
    @IdParam('connectionID') connectionId: string,
    @IfMatch() match: Precondition,
  ): Promise<EnvironmentConnectionView> {
    return EnvironmentConnectionView.fromEntity(await this.mappings.remove(actor, id, connectionId, match));
  }
}
