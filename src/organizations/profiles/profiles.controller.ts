import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ProfileChange } from './profile.inputs.js';
import { ProfileView } from './profile.view.js';
import { ProfilesService } from './profiles.service.js';
import { userPolicy } from '../users/user.policy.js';

@ApiTags('users')
@Controller('identity/users/profile')
export class ProfilesController {
  constructor(private readonly profiles: ProfilesService) {}

  @RestOperation('getProfile', 'Read own profile', 'Reads the profile of the caller, with their organizations.')
  @Get()
  @ApiOkResponse({ type: ProfileView })
  get(@CurrentActor() actor: Actor): Promise<ProfileView> {
    return this.profiles.get(actor);
  }

  @RestOperation('updateProfile', 'Update own profile', 'Changes the fields that are sent.')
  @Put()
  @RequiresRight(userPolicy.updateProfile)
  @ApiOkResponse({ type: ProfileView })
  update(
    @CurrentActor() actor: Actor,
    @Body() input: ProfileChange,
    @IfMatch() match: Precondition,
  ): Promise<ProfileView> {
    return this.profiles.update(actor, input, match);
  }
}
