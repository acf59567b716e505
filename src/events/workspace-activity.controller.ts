import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { EventListQuery } from './event.inputs.js';
import { EventPage, EventView } from './event.view.js';
import { EventsService } from './events.service.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/activity')
export class WorkspaceActivityController {
  constructor(private readonly events: EventsService) {}

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
