import { Global, Module } from '@nestjs/common';
import { EventBus } from './event-bus.js';
import { EventStream } from './event-stream.js';

@Global()
@Module({ providers: [EventBus, EventStream], exports: [EventBus, EventStream] })
export class EventBusModule {}
