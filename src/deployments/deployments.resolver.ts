import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.pipe.js';
import { DeploymentPage, DeploymentView } from './deployment.view.js';
import { DeploymentsService } from './deployments.service.js';

@Resolver(() => DeploymentView)
export class DeploymentsResolver {
  constructor(private readonly service: DeploymentsService) {}

  @Query(() => DeploymentPage, { description: 'The deployments that the caller sees.' })
  async deployments(@CurrentActor() actor: Actor, @Args() args: ListArgs): Promise<PageEnvelope> {
    return toPageEnvelope(await this.service.list(actor, args.toListQuery()), 'deployments', DeploymentView.fromEntity);
  }

  @Query(() => DeploymentView, { description: 'A deployment by its id.' })
  async deployment(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<DeploymentView> {
    return DeploymentView.fromEntity(await this.service.get(actor, id));
  }
}
