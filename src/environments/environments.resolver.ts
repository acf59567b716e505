import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.pipe.js';
import { EnvironmentPage, EnvironmentView } from './environment.view.js';
import { EnvironmentsService } from './environments.service.js';

@Resolver(() => EnvironmentView)
export class EnvironmentsResolver {
  constructor(private readonly service: EnvironmentsService) {}

  @Query(() => EnvironmentPage, { description: 'The environments of an organization that the caller sees.' })
  async environments(@CurrentActor() actor: Actor, @Args() args: ListArgs): Promise<PageEnvelope> {
    return toPageEnvelope(
      await this.service.list(actor, args.toListQuery()),
      'environments',
      EnvironmentView.fromEntity,
    );
  }

  @Query(() => EnvironmentView, { description: 'An environment by its id.' })
  async environment(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<EnvironmentView> {
    return EnvironmentView.fromEntity(await this.service.get(actor, id));
  }
}
