import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { EnvironmentsService } from '../environments.service.js';
import { FreezeChange, NewFreeze } from './freeze.inputs.js';
import { freezePolicy } from './freeze.policy.js';
import { FreezePage, FreezeView } from './freeze.view.js';
import { FreezesService } from './freezes.service.js';

@ApiTags('environments')
@Controller('environments/:id/freezes')
export class FreezesController {
  constructor(private readonly freezes: FreezesService) {}

  @RestOperation('listFreezes', 'List freezes', 'Lists the freeze windows of an environment.')
  @Get()
  @RequiresRight(freezePolicy.read, EnvironmentsService)
  @ApiOkResponse({ type: FreezePage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.freezes.list(actor, id, query), 'freezes', FreezeView.fromEntity);
  }

  @RestOperation(
    'createFreeze',
    'Create a freeze',
    'Creates a window in which nothing is deployed to, undeployed from or rolled back in an environment.',
  )
  @Post()
  @RequiresRight(freezePolicy.create, EnvironmentsService)
  @ApiCreatedResponse({ type: FreezeView })
  async create(@CurrentActor() actor: Actor, @IdParam() id: string, @Body() input: NewFreeze): Promise<FreezeView> {
    return FreezeView.fromEntity(await this.freezes.create(actor, id, input));
  }

  @RestOperation('getFreeze', 'Read a freeze', 'Reads a freeze window of an environment.')
  @Get(':freezeId')
  @RequiresRight(freezePolicy.read, EnvironmentsService)
  @ApiOkResponse({ type: FreezeView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('freezeId') freezeId: string,
  ): Promise<FreezeView> {
    return FreezeView.fromEntity(await this.freezes.getIn(actor, id, freezeId));
  }

  @RestOperation('updateFreeze', 'Update a freeze', 'Changes the fields that are sent.')
  @Put(':freezeId')
  @RequiresRight(freezePolicy.update, EnvironmentsService)
  @ApiOkResponse({ type: FreezeView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('freezeId') freezeId: string,
    @Body() input: FreezeChange,
    @IfMatch() match: Precondition,
  ): Promise<FreezeView> {
    return FreezeView.fromEntity(await this.freezes.update(actor, id, freezeId, input, match));
  }

  @RestOperation('deleteFreeze', 'Delete a freeze', 'Deletes a freeze window; one that is in effect ends at once.')
  @Delete(':freezeId')
  @RequiresRight(freezePolicy.delete, EnvironmentsService)
  @ApiOkResponse({ type: FreezeView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('freezeId') freezeId: string,
    @IfMatch() match: Precondition,
  ): Promise<FreezeView> {
    return FreezeView.fromEntity(await this.freezes.delete(actor, id, freezeId, match));
  }
}
