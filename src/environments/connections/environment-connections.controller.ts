import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ConnectionPage, ConnectionView } from '../../connections/connection.view.js';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { environmentPolicy } from '../environment.policy.js';
import { EnvironmentsService } from '../environments.service.js';
import { EnvironmentConnectionView } from './environment-connection.view.js';
import { EnvironmentConnectionsService } from './environment-connections.service.js';

@ApiTags('environments')
@ApiBearerAuth()
@Controller('api/environments/:environmentID/connections')
export class EnvironmentConnectionsController {
  constructor(private readonly mappings: EnvironmentConnectionsService) {}

  @Get()
  @ApiOkResponse({ type: ConnectionPage })
  async list(@Caller() actor: Actor, @Id('environmentID') id: string, @Query() query: ListQuery): Promise<Envelope> {
    return envelope(await this.mappings.list(actor, id, query), 'connections', ConnectionView.listed);
  }

  @Post(':connectionID')
  @Requires(environmentPolicy.connect, EnvironmentsService, 'environmentID')
  @HttpCode(200)
  @ApiOkResponse({ type: EnvironmentConnectionView })
  async add(
    @Caller() actor: Actor,
    @Id('environmentID') id: string,
    @Id('connectionID') connectionId: string,
  ): Promise<EnvironmentConnectionView> {
    return EnvironmentConnectionView.of(await this.mappings.add(actor, id, connectionId));
  }

  @Delete(':connectionID')
  @Requires(environmentPolicy.connect, EnvironmentsService, 'environmentID')
  @ApiOkResponse({ type: EnvironmentConnectionView })
  async remove(
    @Caller() actor: Actor,
    @Id('environmentID') id: string,
    @Id('connectionID') connectionId: string,
  ): Promise<EnvironmentConnectionView> {
    return EnvironmentConnectionView.of(await this.mappings.remove(actor, id, connectionId));
  }
}
