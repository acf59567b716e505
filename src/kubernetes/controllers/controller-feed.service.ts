import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { type EventNotification, EVENTS_TOPIC } from '../../core/events/event-notification.js';
import { SnapshotsService } from '../../core/pubsub/snapshots.service.js';
import type { PlatformController, PlatformControllerStatus } from './controller-status.js';
import { ControllerStatusesService } from './controller-statuses.service.js';

/** The interval in which a subscriber's clusters are polled. */
const POLL_INTERVAL_MS = 2_000;

/** A status in a subscription. */
export interface ControllerStatusMessage {
  connectionID: string;
  controller: PlatformController;
  status: PlatformControllerStatus;
  version: string | null;
}

/** Follows the statuses of controllers: all of them first, then the changed ones. */
@Injectable()
export class ControllerFeedService {
  constructor(
    private readonly statuses: ControllerStatusesService,
    private readonly snapshots: SnapshotsService,
  ) {}

  async follow(
    actor: Actor,
    connectionIds: readonly string[],
  ): Promise<AsyncIterableIterator<ControllerStatusMessage[]>> {
    const follower = await this.snapshots.follow<ControllerStatusMessage[], EventNotification>({
      topic: EVENTS_TOPIC,
      filter: ({ category, actedUpon }) => category === 'controller' && connectionIds.includes(actedUpon),
      read: () => this.read(actor, connectionIds),
      fingerprint: JSON.stringify,
    });
    const timer = setInterval(() => follower.wake(), POLL_INTERVAL_MS).unref();
    return sendChanges(follower, () => clearInterval(timer));
  }

  private async read(actor: Actor, connectionIds: readonly string[]): Promise<ControllerStatusMessage[]> {
    const all = await this.statuses.readAll(actor, connectionIds);
    return all.flatMap(({ connectionId, states }) =>
      states.map(({ controller, status, version }) => ({ connectionID: connectionId, controller, status, version })),
    );
  }
}

/** Sends the difference between each snapshot and the one before; the first snapshot is sent as a whole. */
function sendChanges(
  snapshots: AsyncIterableIterator<ControllerStatusMessage[], undefined>,
  leave: () => void,
): AsyncIterableIterator<ControllerStatusMessage[]> {
  const sent = new Map<string, string>();
  const iterator: AsyncIterableIterator<ControllerStatusMessage[]> = {
    next: async () => {
      const result = await snapshots.next().catch((error: unknown) => {
        leave();
        throw error;
      });
      if (result.done) {
        leave();
        return { done: true, value: undefined };
      }
      const changed = result.value.filter((message) => {
        const key = `${message.connectionID} ${message.controller}`;
        const text = JSON.stringify(message);
        const isNew = sent.get(key) !== text;
        sent.set(key, text);
        return isNew;
      });
      return { done: false, value: changed };
    },
    return: async () => {
      leave();
      await snapshots.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
