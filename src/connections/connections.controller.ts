import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { OrganizationListQuery } from '../core/listing/list-query.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { Id } from '../core/rest/id.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { ConnectionChange, NewConnection } from './connection.inputs.js';
import { ConnectionPage, ConnectionView } from './connection.view.js';
import { ConnectionsService } from './connections.service.js';
import { PingsService } from './pings.service.js';

@ApiTags('connections')
@ApiBearerAuth()
@Controller('api/integrations/connections')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly pings: PingsService,
  ) {}

  @Get()
  @ApiOkResponse({ type: ConnectionPage })
  async list(@Caller() actor: Actor, @Query() query: OrganizationListQuery): Promise<Envelope> {
    return envelope(await this.connections.list(actor, query), 'connections', ConnectionView.listed);
  }

  @Post()
  @ApiCreatedResponse({ type: ConnectionView })
  async create(@Caller() actor: Actor, @Body() input: NewConnection): Promise<ConnectionView> {
    return ConnectionView.of(await this.connections.create(actor, input));
  }

  @Get(':id')
  @ApiOkResponse({ type: ConnectionView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<ConnectionView> {
    return ConnectionView.of(await this.connections.get(actor, id));
  }

  @Put(':id')
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
  @ApiOkResponse({ type: ConnectionView })
  async delete(@Caller() actor: Actor, @Id() id: string, @IfMatch() match: Precondition): Promise<ConnectionView> {
    return ConnectionView.of(await this.connections.delete(actor, id, match));
  }

  /** Calls the other side now. 502 or 504, with the record under `connection`, when it does not answer. */
  @Post(':id/ping')
  @HttpCode(200)
  @ApiOkResponse({ type: ConnectionView })
  async ping(@Caller() actor: Actor, @Id() id: string): Promise<ConnectionView> {
    return ConnectionView.of(await this.pings.ping(actor, id));
  }
}
