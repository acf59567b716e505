import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../core/database/base.entity.js';
import { SET_LOCAL_USER_SQL } from '../core/database/pooled-client.js';
import type { Statement } from '../core/database/open-transaction.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { DomainEvent } from '../core/events/domain-event.js';
import { EventBus } from '../core/events/event-bus.js';
import { currentRequest } from '../core/telemetry/request-context.js';
import { FeedStore, type NewEvent } from './feed.store.js';

/** Stores every published event in the publisher's transaction, so that a change and its event commit together. */
@Injectable()
export class EventRecorder implements OnModuleInit {
  constructor(
    private readonly bus: EventBus,
    private readonly unit: UnitOfWork,
    private readonly feed: FeedStore,
  ) {}

  onModuleInit(): void {
    this.bus.within(DomainEvent, (event) => Promise.resolve(this.unit.gather(this.append, toNewEvent(event))));
  }

  /** Assigns numbers at the end of the transaction, because the counter's lock blocks the organization's other writers. */
  private readonly append = (events: NewEvent[]): Statement[] => {
    const append = this.feed.appendStatement(events);
    return isOfCaller(events) ? [append] : [{ text: SET_LOCAL_USER_SQL, values: ['system'] }, append];
  };
}

/** Reports whether row-level security lets the session insert the events: a caller's session only those with the caller as actor. */
function isOfCaller(events: readonly NewEvent[]): boolean {
  const request = currentRequest();
  if (!request || request.actor?.isSystem) return true;
  return events.every(({ user_id }) => user_id === request.actor?.userId);
}

/** Copies the current state of the event, because the record may change again before the commit. */
function toNewEvent(event: DomainEvent): NewEvent {
  const { actor, subject } = event;
  return {
    id: newId(),
    organization_id: subject.organizationId,
    workspace_id: subject.workspaceId ?? null,
    user_id: actor.userId,
    system_actor: actor.isSystem ? actor.name : null,
    acted_upon: subject.id,
    operation_id: event.operationId ?? currentRequest()?.operationId ?? null,
    category: event.category,
    action: event.action,
    severity: event.severity,
    description: event.description,
    metadata: structuredClone(event.metadata),
  };
}
