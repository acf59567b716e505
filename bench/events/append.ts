import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { FeedStore, type NewEvent } from '../../src/events/feed.store.js';

/** The statement needs no unit of work. */
const feed = new FeedStore(undefined as never);

/** Appends events of an organization, each about one of the records, in one transaction. */
export async function appendEvents(client: pg.Client, organizationId: string, subjects: string[]): Promise<void> {
  const events = subjects.map((subject): NewEvent => ({
    id: randomUUID(),
    organization_id: organizationId,
    workspace_id: null,
    user_id: null,
    system_actor: 'benchmark',
    acted_upon: subject,
    operation_id: null,
    category: 'environment',
    action: 'updated',
    severity: 'informational',
    description: 'Environment was changed',
    metadata: {},
  }));
  const { text, values } = feed.appendStatement(events);
  await client.query(`SELECT set_config('armature.user', 'system', false)`);
  await client.query(text, values);
}
