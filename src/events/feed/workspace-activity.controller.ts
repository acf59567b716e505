import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
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
  async list(@Caller() actor: Actor, @Id() id: string, @Query() query: EventListQuery): Promise<Envelope> {
    return envelope(await this.events.activityOf(actor, id, query), 'events', EventView.of);
  }
}
