import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.js';
import { EnvironmentPage, EnvironmentView } from './environment.view.js';
import { EnvironmentsService } from './environments.service.js';

@Resolver(() => EnvironmentView)
export class EnvironmentsResolver {
  constructor(private readonly service: EnvironmentsService) {}

  @Query(() => EnvironmentPage)
  async environments(@Caller() actor: Actor, @Args() args: ListArgs): Promise<Envelope> {
    return envelope(await this.service.list(actor, args.toQuery()), 'environments', EnvironmentView.of);
  }

  @Query(() => EnvironmentView)
  async environment(
    @Caller() actor: Actor,
    @Args('id', { type: () => ID }, new IdPipe('id')) id: string,
  ): Promise<EnvironmentView> {
    return EnvironmentView.of(await this.service.get(actor, id));
  }
}
