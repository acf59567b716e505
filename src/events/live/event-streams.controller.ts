import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ApiEventStream } from '../../core/rest/openapi/schemas.js';
import { EventStreamQuery } from '../event.inputs.js';
import { EventStreamsService } from './event-streams.service.js';

@ApiTags('events')
@Controller('events')
export class EventStreamsController {
  constructor(private readonly streams: EventStreamsService) {}

  /** Streams the events of an organization as server-sent events; `Last-Event-ID` resumes. */
  @RestOperation(
    'streamEvents',
    'Stream events',
    'Streams the events of an organization as server-sent events. `Last-Event-ID` resumes.',
    { errors: [410] },
  )
  @Get('stream')
  @ApiEventStream()
  stream(
    @CurrentActor() actor: Actor,
    @Query() query: EventStreamQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.serve(actor, query, request, response);
  }

  /** The same as `stream`. */
  @RestOperation('subscribeEvents', 'Subscribe to events', 'The same as the stream of events.', {
    errors: [410],
    deprecated: true,
  })
  @Get('subscribe')
  @ApiEventStream()
  subscribe(
    @CurrentActor() actor: Actor,
    @Query() query: EventStreamQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.serve(actor, query, request, response);
  }
}

/** The same under the path that existing clients use. */
@Controller('system/events')
export class SystemEventStreamsController extends EventStreamsController {}
