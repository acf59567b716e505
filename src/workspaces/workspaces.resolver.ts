import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.pipe.js';
import { WorkspacePage, WorkspaceView } from './workspace.view.js';
import { WorkspacesService } from './workspaces.service.js';

@Resolver(() => WorkspaceView)
export class WorkspacesResolver {
  constructor(private readonly service: WorkspacesService) {}

  @Query(() => WorkspacePage, { description: 'The workspaces of an organization that the caller sees.' })
  async workspaces(@CurrentActor() actor: Actor, @Args() args: ListArgs): Promise<PageEnvelope> {
    return toPageEnvelope(await this.service.list(actor, args.toListQuery()), 'workspaces', WorkspaceView.fromEntity);
  }

  @Query(() => WorkspaceView, { description: 'A workspace by its id.' })
  async workspace(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.service.get(actor, id));
  }
}
