import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.js';
import { DeploymentPage, DeploymentView } from './deployment.view.js';
import { DeploymentsService } from './deployments.service.js';

@Resolver(() => DeploymentView)
export class DeploymentsResolver {
  constructor(private readonly service: DeploymentsService) {}

  @Query(() => DeploymentPage)
  async deployments(@Caller() actor: Actor, @Args() args: ListArgs): Promise<Envelope> {
    return envelope(await this.service.list(actor, args.toQuery()), 'deployments', DeploymentView.of);
  }

  @Query(() => DeploymentView)
  async deployment(
    @Caller() actor: Actor,
    @Args('id', { type: () => ID }, new IdPipe('id')) id: string,
  ): Promise<DeploymentView> {
    return DeploymentView.of(await this.service.get(actor, id));
  }
}
