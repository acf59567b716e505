import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../core/database/base.entity.js';
import { SET_LOCAL_USER_SQL } from '../core/database/pooled-client.js';
import { type Statement, UnitOfWork } from '../core/database/unit-of-work.js';
import { DomainEvent } from '../core/events/domain-event.js';
import { EventBus } from '../core/events/event-bus.js';
import { currentRequest } from '../core/telemetry/request-context.js';
import { FeedStore, type NewEvent } from './feed.store.js';

/** Keeps every event that is published, in the publisher's transaction: no change without its event, no event without its change. */
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

  /** The number of an event is taken at the very end, because it keeps the organization's other writers waiting. */
  private readonly append = (events: NewEvent[]): Statement[] => {
    const append = this.feed.appendStatement(events);
    return isOfCaller(events) ? [append] : [{ text: SET_LOCAL_USER_SQL, values: ['system'] }, append];
  };
}

/** Whether the policies let the session write them: the system's session writes all, that of a caller those in the caller's name. */
function isOfCaller(events: readonly NewEvent[]): boolean {
  const request = currentRequest();
  if (!request || request.actor?.isSystem) return true;
  return events.every(({ user_id }) => user_id === request.actor?.userId);
}

/** In its current state: the record may change again before the commit. */
function toNewEvent(event: DomainEvent): NewEvent {
  const { actor, subject } = event;
  return {
    id: newId(),
    organization_id: subject.organizationId,
    workspace_id: subject.workspaceId ?? null,
    user_id: actor.userId,
    system_actor: actor.isSystem ? actor.name : null,
    acted_upon: subject.id,
    operation_id: event.operationId,
    category: event.category,
    action: event.action,
    severity: event.severity,
    description: event.description,
    metadata: structuredClone(event.metadata),
  };
}
