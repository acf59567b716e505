import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { EVENT_ACTIONS, EVENT_CATEGORIES, listEventKinds } from '../core/events/event-kinds.js';
import { ShortListQuery } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { paginateItems } from '../core/listing/paginate-items.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { EventListQuery, StatusChange, StatusesChange } from './event.inputs.js';
import { eventPolicy } from './event.policy.js';
import { EventPage, EventView, MarkedView } from './event.view.js';
import { EventsService } from './events.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { EventTypePage } from './event-types.view.js';

@ApiTags('events')
@Controller('events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @RestOperation(
    'listEvents',
    'List events',
    'Lists the events that the caller sees. Responds with 410 when events after `since` are no longer kept.',
    { errors: [410] },
  )
  @Get()
  @ApiOkResponse({ type: EventPage })
  async list(@CurrentActor() actor: Actor, @Query() query: EventListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.events.list(actor, query), 'events', EventView.fromSeenEvent);
  }

  @RestOperation('listEventTypes', 'List types of events', 'Lists every kind of event, by category and action.')
  @Get('types')
  @ApiOkResponse({ type: EventTypePage })
  types(@Query() query: ShortListQuery): PageEnvelope {
    const kinds = paginateItems(listEventKinds(), { name: 'kind', getKey: ({ kind }) => kind }, query);
    const page = toPageEnvelope(kinds, 'types', (type) => type);
    return Object.assign(page, { category: EVENT_CATEGORIES, action: EVENT_ACTIONS });
  }

  @RestOperation('getEvent', 'Read an event', 'Reads an event.')
  @Get(':id')
  @ApiOkResponse({ type: EventView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<EventView> {
    return EventView.fromSeenEvent(await this.events.get(actor, id));
  }

  @RestOperation(
    'updateEventStatuses',
    'Mark events',
    'Marks several events as read or unread. Those that the caller does not see are left out of the response.',
  )
  @Put('status')
  @RequiresRight(eventPolicy.mark)
  @ApiOkResponse({ type: MarkedView })
  async markAll(@CurrentActor() actor: Actor, @Body() input: StatusesChange): Promise<MarkedView> {
    return { status: input.status, ids: await this.events.markAll(actor, input) };
  }

  @RestOperation('updateEventStatus', 'Mark an event', 'Marks an event as read or unread for the caller.')
  @Put(':id/status')
  @RequiresRight(eventPolicy.mark, EventsService)
  @ApiOkResponse({ type: EventView })
  async mark(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() { status }: StatusChange,
    @IfMatch() match: Precondition,
  ): Promise<EventView> {
    return EventView.fromSeenEvent(await this.events.mark(actor, id, status, match));
  }
}

/** The same under the path that existing clients use. */
@Controller('system/events')
export class SystemEventsController extends EventsController {}
