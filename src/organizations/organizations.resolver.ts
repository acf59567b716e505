import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { PageArgs } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.pipe.js';
import { OrganizationPage, OrganizationView } from './organization.view.js';
import { OrganizationsService } from './organizations.service.js';

@Resolver(() => OrganizationView)
export class OrganizationsResolver {
  constructor(private readonly service: OrganizationsService) {}

  @Query(() => OrganizationPage, { description: 'The organizations that the caller belongs to.' })
  async organizations(@CurrentActor() actor: Actor, @Args() args: PageArgs): Promise<PageEnvelope> {
    return toPageEnvelope(
      await this.service.list(actor, args.toListQuery()),
      'organizations',
      OrganizationView.fromEntity,
    );
  }

  @Query(() => OrganizationView, { description: 'An organization by its id.' })
  async organization(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<OrganizationView> {
    return OrganizationView.fromEntity(await this.service.get(actor, id));
  }
}
