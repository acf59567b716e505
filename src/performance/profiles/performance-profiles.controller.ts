import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresBodyRight, RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { WorkspacePlacementService } from '../../workspaces/workspace-owned/workspace-placement.service.js';
import { performancePolicy } from './performance.policy.js';
import { NewPerformanceProfile, PerformanceQuery, PerformanceProfileChange } from './profile.inputs.js';
import { PerformanceProfilePage, PerformanceProfileView } from './profile.view.js';
import { ProfileContentsService } from './profile-contents.service.js';
import { ProfilesService } from './profiles.service.js';

@ApiTags('performance')
@Controller(['performance/profiles', 'user/performance/profiles'])
export class PerformanceProfilesController {
  constructor(
    private readonly profiles: ProfilesService,
    private readonly contents: ProfileContentsService,
  ) {}

  @RestOperation('listPerformanceProfiles', 'List performance profiles', 'Lists the profiles that the caller sees.')
  @Get()
  @ApiOkResponse({ type: PerformanceProfilePage })
  async list(@CurrentActor() actor: Actor, @Query() query: PerformanceQuery): Promise<PageEnvelope> {
    const page = await this.profiles.list(actor, query);
    return toPageEnvelope(page, 'profiles', (profile) => PerformanceProfileView.fromProfile({ profile }));
  }

  @RestOperation(
    'createPerformanceProfile',
    'Create a performance profile',
    'Creates a profile: how load is driven at an endpoint, which bounds the figures must keep to, and when it is run.',
  )
  @Post()
  @RequiresBodyRight(performancePolicy.create, WorkspacePlacementService)
  @ApiCreatedResponse({ type: PerformanceProfileView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewPerformanceProfile): Promise<PerformanceProfileView> {
    const profile = await this.profiles.create(actor, input);
    return PerformanceProfileView.fromProfile({ profile, body: input.request_body ?? '' });
  }

  @RestOperation('getPerformanceProfile', 'Read a performance profile', 'Reads a profile.')
  @Get(':id')
  @ApiOkResponse({ type: PerformanceProfileView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PerformanceProfileView> {
    return PerformanceProfileView.fromProfile(await this.contents.withBody(await this.profiles.get(actor, id)));
  }

  @RestOperation(
    'updatePerformanceProfile',
    'Update a performance profile',
    'Changes the fields that are sent. Headers and cookies whose values are sent as they are shown stay as they are.',
  )
  @Put(':id')
  @RequiresRight(performancePolicy.update, ProfilesService)
  @ApiOkResponse({ type: PerformanceProfileView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: PerformanceProfileChange,
    @IfMatch() match: Precondition,
  ): Promise<PerformanceProfileView> {
    const profile = await this.profiles.update(actor, id, input, match);
    return PerformanceProfileView.fromProfile(await this.contents.withBody(profile));
  }

  @RestOperation(
    'deletePerformanceProfile',
    'Delete a performance profile',
    'Deletes a profile with its results; running tests are cancelled.',
  )
  @Delete(':id')
  @RequiresRight(performancePolicy.delete, ProfilesService)
  @ApiOkResponse({ type: PerformanceProfileView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<PerformanceProfileView> {
    const profile = await this.profiles.delete(actor, id, match);
    return PerformanceProfileView.fromProfile(await this.contents.withBody(profile));
  }
}
