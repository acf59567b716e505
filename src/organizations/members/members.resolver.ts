import { Args, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListArgs } from '../../core/listing/list-query.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { MemberPage, MemberView } from '../memberships/member.view.js';
import { MembersService } from './members.service.js';

@Resolver(() => MemberView)
export class MembersResolver {
  constructor(private readonly service: MembersService) {}

  @Query(() => MemberPage, { description: 'The users of an organization with their roles.' })
  async members(@CurrentActor() actor: Actor, @Args() args: ListArgs): Promise<PageEnvelope> {
    return MemberView.toPage(await this.service.list(actor, args.orgID, args.toListQuery()));
  }
}
