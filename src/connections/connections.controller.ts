import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { OrganizationListQuery } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope, singlePage } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight, RequiresBodyRight } from '../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { ConnectionChange, NewConnection } from './connection.inputs.js';
import { connectionPolicy } from './connection.policy.js';
import { ConnectionPage, ConnectionView } from './connection.view.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionKindPage, ConnectionKindView } from './kinds/connection-kind.view.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';
import { PingsService } from './pings.service.js';

@ApiTags('connections')
@ApiBearerAuth()
@Controller('api/integrations/connections')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly pings: PingsService,
    private readonly kinds: ConnectionKindRegistry,
  ) {}

  @Get()
  @ApiOkResponse({ type: ConnectionPage })
  async list(@CurrentActor() actor: Actor, @Query() query: OrganizationListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.connections.list(actor, query), 'connections', ConnectionView.fromListed);
  }

  @Post()
  @RequiresBodyRight(connectionPolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: ConnectionView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewConnection): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.connections.create(actor, input));
  }

  /** What connections of each kind are made from. Other lowercase kinds are taken too, with free metadata. */
  @Get('kinds')
  @ApiOkResponse({ type: ConnectionKindPage })
  listKinds(): PageEnvelope {
    return toPageEnvelope(singlePage(this.kinds.list()), 'kinds', ConnectionKindView.fromKind);
  }

  @Get(':id')
  @ApiOkResponse({ type: ConnectionView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.connections.get(actor, id));
  }

  @Put(':id')
  @RequiresRight(connectionPolicy.update, ConnectionsService)
  @ApiOkResponse({ type: ConnectionView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: ConnectionChange,
    @IfMatch() match: Precondition,
  ): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.connections.update(actor, id, input, match));
  }

  @Delete(':id')
  @RequiresRight(connectionPolicy.delete, ConnectionsService)
  @ApiOkResponse({ type: ConnectionView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.connections.delete(actor, id, match));
  }

  /** Brings a deleted connection back as registered, with the environments it was in. */
  @Post(':id/restore')
  @RequiresRight(connectionPolicy.restore, ConnectionsService)
  @HttpCode(200)
  @ApiOkResponse({ type: ConnectionView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.connections.restore(actor, id));
  }

  /** Calls the other side now. 502 or 504, with the record under `connection`, when it does not answer. */
  @Post(':id/ping')
  @RequiresRight(connectionPolicy.ping, ConnectionsService)
  @HttpCode(200)
  @ApiOkResponse({ type: ConnectionView })
  async ping(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.pings.ping(actor, id));
  }
}
