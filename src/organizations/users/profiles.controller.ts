import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { ProfileChange } from './profile.inputs.js';
import { ProfileView } from './profile.view.js';
import { ProfilesService } from './profiles.service.js';
import { userPolicy } from './user.policy.js';

@ApiTags('users')
@ApiBearerAuth()
@Controller('api/identity/users/profile')
export class ProfilesController {
  constructor(private readonly profiles: ProfilesService) {}

  @Get()
  @ApiOkResponse({ type: ProfileView })
  get(@CurrentActor() actor: Actor): Promise<ProfileView> {
    return this.profiles.get(actor);
  }

  @Put()
  @RequiresRight(userPolicy.updateProfile)
  @ApiOkResponse({ type: ProfileView })
  update(@CurrentActor() actor: Actor, @Body() input: ProfileChange): Promise<ProfileView> {
    return this.profiles.update(actor, input);
  }
}
