import { Body, Controller, Get, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { EVENT_KINDS, listEventKinds } from '../core/events/event-kinds.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { EventListQuery, EventStreamQuery, StatusChange, StatusesChange } from './event.inputs.js';
import { eventPolicy } from './event.policy.js';
import { EventPage, EventView, MarkedView } from './event.view.js';
import { EventsService } from './events.service.js';
import { EventStreamsService } from './live/event-streams.service.js';

@ApiTags('events')
@ApiBearerAuth()
@Controller('api/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly streams: EventStreamsService,
  ) {}

  @Get()
  @ApiOkResponse({ type: EventPage })
  async list(@CurrentActor() actor: Actor, @Query() query: EventListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.events.list(actor, query), 'events', EventView.fromSeenEvent);
  }

  /** Every kind of event that there is. */
  @Get('types')
  types(): object {
    const types = listEventKinds();
    return {
      types,
      category: Object.keys(EVENT_KINDS),
      action: [...new Set(types.map(({ action }) => action))],
    };
  }

  /** The events of an organization as they happen, as server-sent events; `Last-Event-ID` resumes. */
  @Get('stream')
  @ApiProduces('text/event-stream')
  stream(
    @CurrentActor() actor: Actor,
    @Query() query: EventStreamQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.serve(actor, query, request, response);
  }

  /** The same as `stream`. */
  @Get('subscribe')
  @ApiProduces('text/event-stream')
  subscribe(
    @CurrentActor() actor: Actor,
    @Query() query: EventStreamQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.serve(actor, query, request, response);
  }

  @Get(':id')
  @ApiOkResponse({ type: EventView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<EventView> {
    return EventView.fromSeenEvent(await this.events.get(actor, id));
  }

  @Put('status')
  @RequiresRight(eventPolicy.mark)
  @ApiOkResponse({ type: MarkedView })
  async markAll(@CurrentActor() actor: Actor, @Body() input: StatusesChange): Promise<MarkedView> {
    return { status: input.status, ids: await this.events.markAll(actor, input) };
  }

  @Put(':id/status')
  @RequiresRight(eventPolicy.mark, EventsService)
  @ApiOkResponse({ type: EventView })
  async mark(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() { status }: StatusChange,
  ): Promise<EventView> {
    return EventView.fromSeenEvent(await this.events.mark(actor, id, status));
  }
}

/** The same under the path that clients in the field know. */
@Controller('api/system/events')
export class SystemEventsController extends EventsController {}
