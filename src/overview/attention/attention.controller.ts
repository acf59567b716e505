import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { attentionPolicy } from '../overview.policy.js';
import { AttentionQuery } from './attention.inputs.js';
import { AttentionService } from './attention.service.js';
import { AttentionPage } from './attention.view.js';

@ApiTags('search')
@Controller('attention')
export class AttentionController {
  constructor(private readonly attention: AttentionService) {}

  @RestOperation(
    'listAttention',
    'List what needs attention',
    'Lists failed, degraded and drifted deployments, approvals that the caller may give, frozen environments, failing webhooks and connections that are lost, over everything that the caller sees, the latest first.',
  )
  @Get()
  @RequiresRight(attentionPolicy.read)
  @ApiOkResponse({ type: AttentionPage })
  async list(@CurrentActor() actor: Actor, @Query() query: AttentionQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.attention.list(actor, query), 'items', (item) => item);
  }
}
