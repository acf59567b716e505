import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { OrganizationListQuery } from '../core/listing/list-query.js';
import { type Envelope, envelope, whole } from '../core/listing/page.js';
import { Id } from '../core/rest/id.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { Requires, RequiresIn } from '../core/rest/rights/requires.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { ConnectionChange, NewConnection } from './connection.inputs.js';
import { connectionPolicy } from './connection.policy.js';
import { ConnectionPage, ConnectionView } from './connection.view.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionKindPage, ConnectionKindView } from './kinds/connection-kind.view.js';
import { ConnectionKinds } from './kinds/connection-kinds.js';
import { PingsService } from './pings.service.js';

@ApiTags('connections')
@ApiBearerAuth()
@Controller('api/integrations/connections')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly pings: PingsService,
    private readonly kinds: ConnectionKinds,
  ) {}

  @Get()
  @ApiOkResponse({ type: ConnectionPage })
  async list(@Caller() actor: Actor, @Query() query: OrganizationListQuery): Promise<Envelope> {
    return envelope(await this.connections.list(actor, query), 'connections', ConnectionView.listed);
  }

  @Post()
  @RequiresIn(connectionPolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: ConnectionView })
  async create(@Caller() actor: Actor, @Body() input: NewConnection): Promise<ConnectionView> {
    return ConnectionView.of(await this.connections.create(actor, input));
  }

  /** What connections of each kind are made from. Other lowercase kinds are taken too, with free metadata. */
  @Get('kinds')
  @ApiOkResponse({ type: ConnectionKindPage })
  listKinds(): Envelope {
    return envelope(whole(this.kinds.all()), 'kinds', ConnectionKindView.of);
  }

  @Get(':id')
  @ApiOkResponse({ type: ConnectionView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<ConnectionView> {
    return ConnectionView.of(await this.connections.get(actor, id));
  }

  @Put(':id')
  @Requires(connectionPolicy.update, ConnectionsService)
  @ApiOkResponse({ type: ConnectionView })
  async update(
    @Caller() actor: Actor,
    @Id() id: string,
    @Body() input: ConnectionChange,
    @IfMatch() match: Precondition,
  ): Promise<ConnectionView> {
    return ConnectionView.of(await this.connections.update(actor, id, input, match));
  }

  @Delete(':id')
  @Requires(connectionPolicy.delete, ConnectionsService)
  @ApiOkResponse({ type: ConnectionView })
  async delete(@Caller() actor: Actor, @Id() id: string, @IfMatch() match: Precondition): Promise<ConnectionView> {
    return ConnectionView.of(await this.connections.delete(actor, id, match));
  }

  /** Brings a deleted connection back as registered, with the environments it was in. */
  @Post(':id/restore')
  @Requires(connectionPolicy.restore, ConnectionsService)
  @HttpCode(200)
  @ApiOkResponse({ type: ConnectionView })
  async restore(@Caller() actor: Actor, @Id() id: string): Promise<ConnectionView> {
    return ConnectionView.of(await this.connections.restore(actor, id));
  }

  /** Calls the other side now. 502 or 504, with the record under `connection`, when it does not answer. */
  @Post(':id/ping')
  @Requires(connectionPolicy.ping, ConnectionsService)
  @HttpCode(200)
  @ApiOkResponse({ type: ConnectionView })
  async ping(@Caller() actor: Actor, @Id() id: string): Promise<ConnectionView> {
    return ConnectionView.of(await this.pings.ping(actor, id));
  }
}
