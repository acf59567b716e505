import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { getLoader } from '../../core/graphql/loaders.js';
import { EnvironmentView } from '../../environments/environment.view.js';
import { WorkspaceView } from '../workspace.view.js';
import { AssignedEnvironmentsService } from './assigned-environments.service.js';

@Resolver(() => WorkspaceView)
export class WorkspaceEnvironmentsResolver {
  constructor(private readonly service: AssignedEnvironmentsService) {}

  /** The environments that the caller may see, newest first, 100 at most. */
  @ResolveField(() => [EnvironmentView], { description: 'The environments assigned to it that the caller sees.' })
  async environments(
    @Parent() { id }: WorkspaceView,
    @CurrentActor() actor: Actor,
    @Context() context: object,
  ): Promise<EnvironmentView[]> {
    const loader = getLoader(context, 'workspace.environments', (ids) => this.service.listByWorkspace(actor, ids), []);
    return (await loader.load(id)).map(EnvironmentView.fromEntity);
  }
}
