import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ConnectionView } from '../../connections/connection.view.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { getLoader } from '../../core/graphql/loaders.js';
import { EnvironmentView } from '../environment.view.js';
import { EnvironmentConnectionsService } from './environment-connections.service.js';

@Resolver(() => EnvironmentView)
export class EnvironmentConnectionsResolver {
  constructor(private readonly service: EnvironmentConnectionsService) {}

  /** The connections that the caller may see, newest first, 100 at most. */
  @ResolveField(() => [ConnectionView], { description: 'The connections in it.' })
  async connections(
    @Parent() { id }: EnvironmentView,
    @CurrentActor() actor: Actor,
    @Context() context: object,
  ): Promise<ConnectionView[]> {
    const loader = getLoader(
      context,
      'environment.connections',
      (ids) => this.service.listByEnvironment(actor, ids),
      [],
    );
    return (await loader.load(id)).map(ConnectionView.fromEntity);
  }
}
