import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { EventListQuery } from './event.inputs.js';
import { EventPage, EventView } from './event.view.js';
import { EventsService } from './events.service.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/activity')
export class WorkspaceActivityController {
  constructor(private readonly events: EventsService) {}

  @RestOperation('listWorkspaceActivity', 'List activity of a workspace', 'Lists the events of a workspace.')
  @Get()
  @ApiOkResponse({ type: EventPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: EventListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.events.listOfWorkspace(actor, id, query), 'events', EventView.fromSeenEvent);
  }
}
