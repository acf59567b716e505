import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.pipe.js';
import { ConnectionPage, ConnectionView } from './connection.view.js';
import { ConnectionListsService } from './connection-lists.service.js';
import { ConnectionsService } from './connections.service.js';

@Resolver(() => ConnectionView)
export class ConnectionsResolver {
  constructor(
    private readonly service: ConnectionsService,
    private readonly lists: ConnectionListsService,
  ) {}

  @Query(() => ConnectionPage, { description: 'The connections of an organization that the caller sees.' })
  async connections(@CurrentActor() actor: Actor, @Args() args: ListArgs): Promise<PageEnvelope> {
    return toPageEnvelope(await this.lists.list(actor, args.toListQuery()), 'connections', ConnectionView.fromListed);
  }

  @Query(() => ConnectionView, { description: 'A connection by its id.' })
  async connection(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<ConnectionView> {
    return ConnectionView.fromEntity(await this.service.get(actor, id));
  }
}
