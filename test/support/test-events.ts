import { randomUUID } from 'node:crypto';
import { Actor } from '../../src/core/access/actor.js';
import { UnitOfWork } from '../../src/core/database/unit-of-work.js';
import { DomainEvent } from '../../src/core/events/domain-event.js';
import { EventBus } from '../../src/core/events/event-bus.js';
import type { World } from './world.js';

/** An event that a test publishes itself, of a record that does not exist. */
export class TestEvent extends DomainEvent {
  readonly category: string = 'environment';
  readonly action: string = 'updated';
  get description(): string {
    return 'a test published this';
  }
}

export class RegistryTestEvent extends TestEvent {
  override readonly category = 'registry';
  override readonly action = 'registered';
}

/** Publishes so many events in one transaction; answers the ids of their records. */
export async function publishEvents(
  world: World,
  organizationId: string | null,
  count = 1,
  Kind = TestEvent,
  metadata: Record<string, unknown> = { name: 'published' },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await world.get(UnitOfWork).run(async () => {
    for (const id of ids)
      await world.get(EventBus).publish(new Kind(Actor.system('test'), { id, organizationId }, { ...metadata }));
  });
  return ids;
}

/** The numbers of the events of an organization, in their order. */
export async function numbersOf(world: World, organization: string): Promise<number[]> {
  const rows = await world.sql<{ sequence: string }>(
    'SELECT sequence FROM event WHERE organization_id = $1 ORDER BY sequence',
    [organization],
  );
  return rows.map(({ sequence }) => Number(sequence));
}
