import { Injectable } from '@nestjs/common';
import { newId } from '../core/database/base.entity.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { DomainEvent } from '../core/events/domain-event.js';
import { EventBus } from '../core/events/event-bus.js';
import { currentRequest } from '../core/telemetry/request-context.js';
import { FeedStore, type NewEvent } from './feed.store.js';

/** Keeps every event that is published, in the publisher's transaction: no change without its event, no event without its change. */
@Injectable()
export class EventRecorder {
  /** What the open units of work have told so far, by their sessions. */
  private readonly pending = new WeakMap<object, NewEvent[]>();

  constructor(
    bus: EventBus,
    private readonly unit: UnitOfWork,
    private readonly feed: FeedStore,
  ) {
    bus.within(DomainEvent, (event) => Promise.resolve(this.record(event)));
  }

  /** The number is taken at the very end, since whoever has one keeps the organization's other writers waiting. */
  private record(event: DomainEvent): void {
    const session = this.unit.manager;
    const told = this.pending.get(session) ?? [];
    if (told.push(toNewEvent(event)) > 1) return;
    this.pending.set(session, told);
    this.unit.beforeCommit(async () => {
      this.pending.delete(session);
      if (isOfCaller(told)) await this.feed.append(told);
      else await this.unit.runAsSystem('events of others', () => this.feed.append(told));
    });
  }
}

/** Whether the policies let the session write them: the system's session writes all, that of a caller those in the caller's name. */
function isOfCaller(told: readonly NewEvent[]): boolean {
  const request = currentRequest();
  if (!request || request.actor?.isSystem) return true;
  return told.every(({ user_id }) => user_id === request.actor?.userId);
}

/** As it is now: the record it tells of may change again before the commit. */
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
