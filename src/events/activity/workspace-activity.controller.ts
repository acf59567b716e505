import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { EventListQuery } from '../event.inputs.js';
import { EventsService } from '../events.service.js';
import { ActivityPage, toActivityPage } from './activity.view.js';
import { BurstsStore } from './bursts.store.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/activity')
export class WorkspaceActivityController {
  constructor(
    private readonly events: EventsService,
    private readonly bursts: BurstsStore,
  ) {}

  @RestOperation(
    'listWorkspaceActivity',
    'List activity of a workspace',
    'Lists the events of a workspace, and groups of repeated actions that may be shown as one. Responds with 410 when events after `since` are no longer kept.',
    { errors: [410] },
  )
  @Get()
  @ApiOkResponse({ type: ActivityPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: EventListQuery,
  ): Promise<PageEnvelope> {
    const page = await this.events.listOfWorkspace(actor, id, query);
    const events = page.items.map(({ event }) => event);
    return toActivityPage(page, await this.bursts.list(id, events));
  }
}
