import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.js';
import { WorkspacePage, WorkspaceView } from './workspace.view.js';
import { WorkspacesService } from './workspaces.service.js';

@Resolver(() => WorkspaceView)
export class WorkspacesResolver {
  constructor(private readonly service: WorkspacesService) {}

  @Query(() => WorkspacePage)
  async workspaces(@Caller() actor: Actor, @Args() args: ListArgs): Promise<Envelope> {
    return envelope(await this.service.list(actor, args.toQuery()), 'workspaces', WorkspaceView.of);
  }

  @Query(() => WorkspaceView)
  async workspace(
    @Caller() actor: Actor,
    @Args('id', { type: () => ID }, new IdPipe('id')) id: string,
  ): Promise<WorkspaceView> {
    return WorkspaceView.of(await this.service.get(actor, id));
  }
}
