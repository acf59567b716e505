import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AuditedCall } from '../core/authorization/audited-call.js';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { ListQuery, ShortListQuery } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { paginateItems } from '../core/listing/paginate-items.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { NoStore } from '../core/rest/no-store.decorator.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight, RequiresBodyRight } from '../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { ConnectionChange, ConnectionListQuery, NewConnection } from './connection.inputs.js';
import { connectionPolicy } from './connection.policy.js';
import { ConnectionPage, ConnectionView } from './connection.view.js';
import { ConnectionCreationService } from './connection-creation.service.js';
import { ConnectionListsService } from './connection-lists.service.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionKindPage, ConnectionKindView } from './kinds/connection-kind.view.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';
import { PingsService } from './pings.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('connections')
@Controller('integrations/connections')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly creation: ConnectionCreationService,
    private readonly lists: ConnectionListsService,
    private readonly pings: PingsService,
    private readonly kinds: ConnectionKindRegistry,
  ) {}

  @RestOperation(
    'listConnections',
    'List connections',
    'Lists the connections of an organization that the caller sees, with the environments each is in.',
  )
  @Get()
  @ApiOkResponse({ type: ConnectionPage })
  async list(@CurrentActor() actor: Actor, @Query() query: ConnectionListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.lists.list(actor, query), 'connections', ConnectionView.fromListed);
  }

  @RestOperation(
    'createConnection',
    'Create a connection',
    'Creates a connection of any kind. A new connection is registered; a ping that succeeds makes it connected.',
  )
  @Post()
  @RequiresBodyRight(connectionPolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: ConnectionView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewConnection): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.creation.create(actor, input));
  }

  /** Lists the schemas of each kind. Other lowercase kinds are accepted too, with free metadata. */
  @RestOperation(
    'listConnectionKinds',
    'List kinds of connections',
    'Lists the kinds with a schema for metadata and credential. Other lowercase kinds are accepted with free metadata.',
  )
  @Get('kinds')
  @ApiOkResponse({ type: ConnectionKindPage })
  listKinds(@Query() query: ShortListQuery): PageEnvelope {
    const kinds = paginateItems(this.kinds.list(), { name: 'kind', getKey: (kind) => kind.name }, query);
    return toPageEnvelope(kinds, 'kinds', ConnectionKindView.fromKind);
  }

  @RestOperation('getConnection', 'Read a connection', 'Reads a connection, without its credential.')
  @Get(':id')
  @ApiOkResponse({ type: ConnectionView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.connections.get(actor, id));
  }

  @RestOperation(
    'updateConnection',
    'Update a connection',
    'Changes the fields that are sent. A status changes along the allowed transitions only.',
  )
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

  @RestOperation('deleteConnection', 'Delete a connection', 'Deletes a connection softly; it can be restored.')
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

  /** Restores a deleted connection with the status `registered`, and with its environments. */

  @RestOperation(
    'restoreConnection',
    'Restore a connection',
    'Restores a deleted connection as registered, with the environments it was in.',
  )
  @Post(':id/restore')
  @RequiresRight(connectionPolicy.restore, ConnectionsService)
  @HttpCode(200)
  @ApiOkResponse({ type: ConnectionView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.connections.restore(actor, id));
  }

  /** Calls the remote system. Responds with 502 or 504, and the record under `connection`, when the system does not respond. */

  @AuditedCall()
  @RestOperation(
    'pingConnection',
    'Ping a connection',
    'Calls the remote system now. When it does not respond, the problem carries the record under `connection`.',
    { errors: [502, 504] },
  )
  @Post(':id/ping')
  @RequiresRight(connectionPolicy.ping, ConnectionsService)
  @HttpCode(200)
  @ApiOkResponse({ type: ConnectionView })
  async ping(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.pings.ping(actor, id));
  }
}

/** The connections that use a credential. */
@ApiTags('credentials')
@NoStore()
@Controller('integrations/credentials/:id/connections')
export class CredentialConnectionsController {
  constructor(private readonly lists: ConnectionListsService) {}

  @RestOperation(
    'listCredentialConnections',
    'List connections of a credential',
    'Lists the connections that use a credential.',
  )
  @Get()
  @ApiOkResponse({ type: ConnectionPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(
      await this.lists.listByCredential(actor, id, query),
      'connections',
      ConnectionView.fromEntity,
    );
  }
}
