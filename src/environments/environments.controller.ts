import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { OrganizationListQuery, OrganizationQuery } from '../core/listing/list-query.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { Id } from '../core/rest/id.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { Requires, RequiresIn } from '../core/rest/rights/requires.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { EnvironmentChange, NewEnvironment } from './environment.inputs.js';
import { environmentPolicy } from './environment.policy.js';
import { EnvironmentPage, EnvironmentView } from './environment.view.js';
import { EnvironmentsService } from './environments.service.js';

@ApiTags('environments')
@ApiBearerAuth()
@Controller('api/environments')
export class EnvironmentsController {
  constructor(private readonly environments: EnvironmentsService) {}

  @Get()
  @ApiOkResponse({ type: EnvironmentPage })
  async list(@Caller() actor: Actor, @Query() query: OrganizationListQuery): Promise<Envelope> {
    return envelope(await this.environments.list(actor, query), 'environments', EnvironmentView.of);
  }

  @Get(':id')
  @ApiOkResponse({ type: EnvironmentView })
  async get(@Caller() actor: Actor, @Id() id: string, @Query() query: OrganizationQuery): Promise<EnvironmentView> {
    return EnvironmentView.of(await this.environments.get(actor, id, query));
  }

  @Post()
  @RequiresIn(environmentPolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: EnvironmentView })
  async create(@Caller() actor: Actor, @Body() input: NewEnvironment): Promise<EnvironmentView> {
    return EnvironmentView.of(await this.environments.create(actor, input));
  }

  @Put(':id')
  @Requires(environmentPolicy.update, EnvironmentsService)
  @ApiOkResponse({ type: EnvironmentView })
  async update(
    @Caller() actor: Actor,
    @Id() id: string,
    @Body() input: EnvironmentChange,
    @IfMatch() match: Precondition,
  ): Promise<EnvironmentView> {
    return EnvironmentView.of(await this.environments.update(actor, id, input, match));
  }

  @Delete(':id')
  @Requires(environmentPolicy.delete, EnvironmentsService)
  @ApiOkResponse({ type: EnvironmentView })
  async delete(@Caller() actor: Actor, @Id() id: string, @IfMatch() match: Precondition): Promise<EnvironmentView> {
    return EnvironmentView.of(await this.environments.delete(actor, id, match));
  }

  @Post(':id/archive')
  @Requires(environmentPolicy.archive, EnvironmentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: EnvironmentView })
  async archive(@Caller() actor: Actor, @Id() id: string): Promise<EnvironmentView> {
    return EnvironmentView.of(await this.environments.archive(actor, id));
  }

  @Post(':id/restore')
  @Requires(environmentPolicy.restore, EnvironmentsService)
  @HttpCode(200)
  @ApiOkResponse({ type: EnvironmentView })
  async restore(@Caller() actor: Actor, @Id() id: string): Promise<EnvironmentView> {
    return EnvironmentView.of(await this.environments.restore(actor, id));
  }
}
