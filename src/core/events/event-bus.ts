import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { DomainEvent } from './domain-event.js';

type EventClass<E extends DomainEvent> = abstract new (...args: never[]) => E;
type RegisteredListener = { type: EventClass<DomainEvent>; hear: (event: DomainEvent) => Promise<void> | void };

/** Carries events from the service that publishes them to the features that come later in the order. */
@Injectable()
export class EventBus {
  private readonly withinListeners: RegisteredListener[] = [];
  private readonly afterListeners: RegisteredListener[] = [];

  constructor(private readonly unit: UnitOfWork) {}

  /** Subscribes to events of a class inside the publisher's transaction; an error there rolls back the change. */
  within<E extends DomainEvent>(type: EventClass<E>, hear: (event: E) => Promise<void>): void {
    this.withinListeners.push({ type, hear: hear as RegisteredListener['hear'] });
  }

  /** Hears events of a class once their transaction has committed. */
  after<E extends DomainEvent>(type: EventClass<E>, hear: (event: E) => Promise<void> | void): void {
    this.afterListeners.push({ type, hear: hear as RegisteredListener['hear'] });
  }

  /** Publishes an event; it needs an open unit of work, so that there is no change without its event. */
  async publish(event: DomainEvent): Promise<void> {
    for (const { type, hear } of this.withinListeners) if (event instanceof type) await hear(event);
    this.unit.afterCommit(async () => {
      for (const { type, hear } of this.afterListeners) if (event instanceof type) await hear(event);
    });
  }
}
