import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.js';
import { ConnectionPage, ConnectionView } from './connection.view.js';
import { ConnectionsService } from './connections.service.js';

@Resolver(() => ConnectionView)
export class ConnectionsResolver {
  constructor(private readonly service: ConnectionsService) {}

  @Query(() => ConnectionPage)
  async connections(@Caller() actor: Actor, @Args() args: ListArgs): Promise<Envelope> {
    return envelope(await this.service.list(actor, args.toQuery()), 'connections', ConnectionView.listed);
  }

  @Query(() => ConnectionView)
  async connection(
    @Caller() actor: Actor,
    @Args('id', { type: () => ID }, new IdPipe('id')) id: string,
  ): Promise<ConnectionView> {
    return ConnectionView.of(await this.service.get(actor, id));
  }
}
