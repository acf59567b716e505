import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { loaderOf } from '../../core/graphql/loaders.js';
import { EnvironmentView } from '../../environments/environment.view.js';
import { WorkspaceView } from '../workspace.view.js';
import { WorkspaceEnvironmentsService } from './workspace-environments.service.js';

@Resolver(() => WorkspaceView)
export class WorkspaceEnvironmentsResolver {
  constructor(private readonly service: WorkspaceEnvironmentsService) {}

  /** The environments that the caller may see, newest first, 100 at most. */
  @ResolveField(() => [EnvironmentView])
  async environments(
    @Parent() { id }: WorkspaceView,
    @Caller() actor: Actor,
    @Context() context: object,
  ): Promise<EnvironmentView[]> {
    const loader = loaderOf(context, 'workspace.environments', (ids) => this.service.ofEach(actor, ids), []);
    return (await loader.load(id)).map(EnvironmentView.of);
  }
}
