import { Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ProfileView } from './profile.view.js';
import { ProfilesService } from './profiles.service.js';

@Resolver(() => ProfileView)
export class ProfilesResolver {
  constructor(private readonly profiles: ProfilesService) {}

  @Query(() => ProfileView, { description: 'The caller.' })
  me(@CurrentActor() actor: Actor): Promise<ProfileView> {
    return this.profiles.get(actor);
  }
}
