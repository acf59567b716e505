import { Body, Controller, Get, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { EVENT_KINDS, eventKinds } from '../../core/events/event-kinds.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { EventListQuery, EventStreamQuery, StatusChange, StatusesChange } from './event.inputs.js';
import { eventPolicy } from './event.policy.js';
import { EventPage, EventView, MarkedView } from './event.view.js';
import { EventsService } from './events.service.js';
import { EventStreams } from './live/event-streams.js';

@ApiTags('events')
@ApiBearerAuth()
@Controller('api/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly streams: EventStreams,
  ) {}

  @Get()
  @ApiOkResponse({ type: EventPage })
  async list(@Caller() actor: Actor, @Query() query: EventListQuery): Promise<Envelope> {
    return envelope(await this.events.list(actor, query), 'events', EventView.of);
  }

  /** Every kind of event that there is. */
  @Get('types')
  types(): object {
    const types = eventKinds();
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
    @Caller() actor: Actor,
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
    @Caller() actor: Actor,
    @Query() query: EventStreamQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.serve(actor, query, request, response);
  }

  @Get(':id')
  @ApiOkResponse({ type: EventView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<EventView> {
    return EventView.of(await this.events.get(actor, id));
  }

  @Put('status')
  @Requires(eventPolicy.mark)
  @ApiOkResponse({ type: MarkedView })
  async markAll(@Caller() actor: Actor, @Body() input: StatusesChange): Promise<MarkedView> {
    return { status: input.status, ids: await this.events.markAll(actor, input) };
  }

  @Put(':id/status')
  @Requires(eventPolicy.mark, EventsService)
  @ApiOkResponse({ type: EventView })
  async mark(@Caller() actor: Actor, @Id() id: string, @Body() { status }: StatusChange): Promise<EventView> {
    return EventView.of(await this.events.mark(actor, id, status));
  }
}

/** The same under the path that clients in the field know. */
@Controller('api/system/events')
export class SystemEventsController extends EventsController {}
