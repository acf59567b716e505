import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { Requires } from '../../core/rest/rights/requires.js';
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
  get(@Caller() actor: Actor): Promise<ProfileView> {
    return this.profiles.get(actor);
  }

  @Put()
  @Requires(userPolicy.updateProfile)
  @ApiOkResponse({ type: ProfileView })
  update(@Caller() actor: Actor, @Body() input: ProfileChange): Promise<ProfileView> {
    return this.profiles.update(actor, input);
  }
}
