import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { OrganizationListQuery, OrganizationQuery } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight, RequiresBodyRight } from '../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { EnvironmentChange, NewEnvironment } from './environment.inputs.js';
import { environmentPolicy } from './environment.policy.js';
import { EnvironmentPage, EnvironmentView } from './environment.view.js';
import { EnvironmentsService } from './environments.service.js';

@ApiTags('environments')
@Controller('environments')
export class EnvironmentsController {
  constructor(private readonly environments: EnvironmentsService) {}

  @RestOperation(
    'listEnvironments',
    'List environments',
    'Lists the environments of an organization that the caller sees.',
  )
  @Get()
  @ApiOkResponse({ type: EnvironmentPage })
  async list(@CurrentActor() actor: Actor, @Query() query: OrganizationListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.environments.list(actor, query), 'environments', EnvironmentView.fromEntity);
  }

  @RestOperation('getEnvironment', 'Read an environment', 'Reads an environment.')
  @Get(':id')
  @ApiOkResponse({ type: EnvironmentView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: OrganizationQuery,
  ): Promise<EnvironmentView> {
    return EnvironmentView.fromEntity(await this.environments.get(actor, id, query));
  }

  @RestOperation('createEnvironment', 'Create an environment', 'Creates an environment of a tier in an organization.')
  @Post()
  @RequiresBodyRight(environmentPolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: EnvironmentView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewEnvironment): Promise<EnvironmentView> {
    return EnvironmentView.fromEntity(await this.environments.create(actor, input));
  }

  @RestOperation('updateEnvironment', 'Update an environment', 'Changes the fields that are sent.')
  @Put(':id')
  @RequiresRight(environmentPolicy.update, EnvironmentsService)
  @ApiOkResponse({ type: EnvironmentView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: EnvironmentChange,
    @IfMatch() match: Precondition,
  ): Promise<EnvironmentView> {
    return EnvironmentView.fromEntity(await this.environments.update(actor, id, input, match));
  }

  @RestOperation('deleteEnvironment', 'Delete an environment', 'Deletes an environment softly; it can be restored.')
  @Delete(':id')
  @RequiresRight(environmentPolicy.delete, EnvironmentsService)
  @ApiOkResponse({ type: EnvironmentView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<EnvironmentView> {
    return EnvironmentView.fromEntity(await this.environments.delete(actor, id, match));
  }

  @RestOperation(
    'archiveEnvironment',
    'Archive an environment',
    'Archives an environment: nothing is deployed there until it is restored.',
  )
  @Post(':id/archive')
  @RequiresRight(environmentPolicy.archive, EnvironmentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: EnvironmentView })
  async archive(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<EnvironmentView> {
    return EnvironmentView.fromEntity(await this.environments.archive(actor, id));
  }

  @RestOperation('restoreEnvironment', 'Restore an environment', 'Restores an archived or deleted environment.')
  @Post(':id/restore')
  @RequiresRight(environmentPolicy.restore, EnvironmentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: EnvironmentView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<EnvironmentView> {
    return EnvironmentView.fromEntity(await this.environments.restore(actor, id));
  }
}
