import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListArgs } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdPipe } from '../../core/rest/id.pipe.js';
import { TeamPage, TeamView } from './team.view.js';
import { TeamsService } from './teams.service.js';

@Resolver(() => TeamView)
export class TeamsResolver {
  constructor(private readonly service: TeamsService) {}

  @Query(() => TeamPage, { description: 'The teams of an organization.' })
  async teams(@CurrentActor() actor: Actor, @Args() args: ListArgs): Promise<PageEnvelope> {
    return toPageEnvelope(await this.service.list(actor, args.orgID, args.toListQuery()), 'teams', TeamView.fromEntity);
  }

  @Query(() => TeamView, { description: 'A team by its id.' })
  async team(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<TeamView> {
    return TeamView.fromEntity(await this.service.getById(actor, id));
  }
}
