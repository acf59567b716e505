import { Args, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { AttentionArgs } from './attention.inputs.js';
import { AttentionService } from './attention.service.js';
import { AttentionItemView, AttentionPage } from './attention.view.js';

@Resolver(() => AttentionItemView)
export class AttentionResolver {
  constructor(private readonly service: AttentionService) {}

  @Query(() => AttentionPage, { description: 'What needs attention among what the caller sees, the latest first.' })
  async attention(@CurrentActor() actor: Actor, @Args() args: AttentionArgs): Promise<PageEnvelope> {
    return toPageEnvelope(await this.service.list(actor, args.toQuery()), 'items', (item) => item);
  }
}
