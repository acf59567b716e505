import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { DomainEvent } from './domain-event.js';

type EventClass<E extends DomainEvent> = abstract new (...args: never[]) => E;
type RegisteredListener = { type: EventClass<DomainEvent>; listener: (event: DomainEvent) => Promise<void> | void };

/** Delivers events from the publishing service to listeners in other features. */
@Injectable()
export class EventBus {
  private readonly withinListeners: RegisteredListener[] = [];
  private readonly afterListeners: RegisteredListener[] = [];

  constructor(private readonly unit: UnitOfWork) {}

  /** Subscribes to events of a class inside the publisher's transaction; an error rolls back the change. */
  within<E extends DomainEvent>(type: EventClass<E>, listener: (event: E) => Promise<void>): void {
    this.withinListeners.push({ type, listener: listener as RegisteredListener['listener'] });
  }

  /** Subscribes to events of a class after their transaction has committed. */
  after<E extends DomainEvent>(type: EventClass<E>, listener: (event: E) => Promise<void> | void): void {
    this.afterListeners.push({ type, listener: listener as RegisteredListener['listener'] });
  }

  /** Publishes an event. Requires an open unit of work, so that the event is committed with the change. */
  async publish(event: DomainEvent): Promise<void> {
    for (const { type, listener } of this.withinListeners) if (event instanceof type) await listener(event);
    this.unit.afterCommit(async () => {
      for (const { type, listener } of this.afterListeners) if (event instanceof type) await listener(event);
    });
  }
}
