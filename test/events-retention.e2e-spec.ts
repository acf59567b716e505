import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { EventRetentionService } from '../src/events/retention/event-retention.service.js';
import { WebhookFeedStore } from '../src/events/webhooks/deliveries/webhook-feed.store.js';
import { WebhookSettings } from '../src/events/webhooks/deliveries/webhook-settings.js';
import type { Json, Person } from './support/person.js';
import { Receiver } from './support/receiver.js';
import { numbersOf, publishEvents, TestEvent } from './support/test-events.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

/** An event that tells of a person. */
class PersonalEvent extends TestEvent {
  override get description(): string {
    return `a test published this of ${(this.metadata['email'] as string | undefined) ?? 'nobody'}`;
  }
}

type Owner = Person & { organization: string };

let world: World;
let receiver: Receiver;

beforeAll(async () => {
  world = await World.start({ OUTBOUND_ALLOW: '127.0.0.0/8', EVENT_RETENTION: '90d' });
  receiver = await Receiver.start();
  Object.assign(world.get(WebhookSettings), { retryDelaysMs: Array<number>(9).fill(60_000) });
});
afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

const publish = (organizationId: string, count = 1, metadata: Record<string, unknown> = {}): Promise<string[]> =>
  publishEvents(world, organizationId, count, PersonalEvent, metadata);

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const prune = (): Promise<void> => world.get(EventRetentionService).prune(new AbortController().signal);

/** An organization of its own whose events are 1 to `last`, those up to `old` a hundred days old. */
async function organizationWith(last: number, old: number): Promise<Owner> {
  const owner = await world.outsider();
  await publish(owner.organization, last - (await numbersOf(world, owner.organization)).length);
  await world.sql(
    `UPDATE event SET created_at = now() - interval '100 days' WHERE organization_id = $1 AND sequence <= $2`,
    [owner.organization, old],
  );
  return owner;
}

const log = (owner: Owner): string => `/api/identity/orgs/${owner.organization}/events`;
const nameOf = async (owner: Owner): Promise<string> =>
  (await owner.get(`/api/identity/orgs/${owner.organization}`)).body.name as string;
const linesOf = (text: string): Json[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const exported = async (owner: Person, path: string): Promise<Json[]> => {
  const response = await fetch(owner.baseUrl + path, { headers: { authorization: `Bearer ${owner.token}` } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  return linesOf(await response.text());
};

describe('the log of events', () => {
  it('is pruned by the clock of the database: a process whose clock is years ahead removes nothing', async () => {
    const owner = await organizationWith(12, 2);
    const ahead = Date.now() + 5 * 365 * 86_400_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(ahead);
    await prune().finally(() => clock.mockRestore());
    expect(await numbersOf(world, owner.organization)).toEqual(range(3, 12));
  });

  it('is pruned by age, the oldest first and without gaps, and says what is gone at the very number', async () => {
    const owner = await organizationWith(2_530, 2_510);
    // A clock that went back: older than its neighbours, and after one that stays.
    await world.sql(
      `UPDATE event SET created_at = now() - interval '100 days' WHERE organization_id = $1 AND sequence = 2520`,
      [owner.organization],
    );
    await prune();
    expect(await numbersOf(world, owner.organization)).toEqual(range(2_511, 2_530));
    await publish(owner.organization);
    expect((await numbersOf(world, owner.organization)).at(-1)).toBe(2_531);

    const listed = (query: string) => owner.get(`/api/events?orgID=${owner.organization}&${query}`);
    const gone = { status: 410, body: { code: 'REPLAY_EXPIRED', oldest: '2511' } };
    expect(await listed('since=2509')).toMatchObject(gone);
    expect((await listed('since=2509')).body.remedy).toContain('resume after 2510');
    expect(await listed(`filter=${encodeURIComponent('{"since":"2509"}')}`)).toMatchObject(gone);
    expect(await listed('since=2510')).toMatchObject({ status: 200, body: { total_count: 21 } });
    expect(await listed('pagesize=1')).toMatchObject({ status: 200, body: { total_count: 21 } });

    const stream = (id: number) =>
      fetch(`${owner.baseUrl}/api/events/stream`, {
        headers: { authorization: `Bearer ${owner.token}`, 'last-event-id': `${owner.organization}:${id}` },
      });
    const refused = await stream(2_509);
    expect([refused.status, await refused.json()]).toEqual([410, expect.objectContaining(gone.body)]);
    // What is kept for the lists is older than what is replayed; at the edge of that nothing is refused either.
    await world.sql(
      `UPDATE event SET created_at = now() - interval '8 days' WHERE organization_id = $1 AND sequence < 2530`,
      [owner.organization],
    );
    expect(await (await stream(2_528)).json()).toMatchObject({ oldest: '2530' });
    const resumed = await stream(2_529);
    expect(resumed.status).toBe(200);
    await resumed.body?.cancel();

    const replayed = (after: number) =>
      new Promise<Json>((resolve) => {
        const client = owner.socket();
        const query = `subscription { subscribeEvents(organizationID: "${owner.organization}", after: "${after}") { sequence } }`;
        const end = (answer: Json) => void (resolve(answer), void client.dispose());
        client.subscribe<Json>({ query }, { next: end, error: end, complete: () => undefined });
      });
    expect(await replayed(2_528)).toMatchObject({
      errors: [{ extensions: { code: 'REPLAY_EXPIRED', oldest: '2530' } }],
    });
    expect(await replayed(2_529)).toEqual({ data: { subscribeEvents: { sequence: '2530' } } });
  });

  it('that is empty begins with the next number', async () => {
    const owner = await organizationWith(30, 30);
    await prune();
    expect(await numbersOf(world, owner.organization)).toEqual([]);
    const listed = (since: number) => owner.get(`/api/events?orgID=${owner.organization}&since=${since}`);
    expect(await listed(29)).toMatchObject({ status: 410, body: { oldest: '31' } });
    expect(await listed(30)).toMatchObject({ status: 200, body: { total_count: 0 } });
    expect(await owner.get(`${log(owner)}/export?after=29`)).toMatchObject({ status: 410 });
    expect(await exported(owner, `${log(owner)}/export`)).toMatchObject([
      { type: 'header', after: '30', through: '30' },
      { type: 'end', events: 0, last: '30' },
    ]);
  });
});

describe('webhooks of events that are gone', () => {
  it('send none of them again, say so, and go on with what is left', async () => {
    const owner = await world.outsider();
    const base = `/api/identity/orgs/${owner.organization}/webhooks`;
    const { body: webhook } = await owner.post(base, { url: `${receiver.url}/gone`, events: ['environment.updated'] });
    const deliveries = async (): Promise<Json[]> =>
      (await owner.get(`${base}/${webhook.id}/deliveries?pagesize=100&order=created_at%20asc`)).body.deliveries;
    receiver.answer = (response) => void response.writeHead(500).end();
    await publish(owner.organization, 3);
    await until(async () => {
      const made = await deliveries();
      return made.length === 3 && made.every(({ failures }) => failures > 0);
    }, 30_000);
    // All but the last: two wait, and their events go.
    const numbers = await numbersOf(world, owner.organization);
    await world.sql(
      `UPDATE event SET created_at = now() - interval '91 days' WHERE organization_id = $1 AND sequence < $2`,
      [owner.organization, numbers.at(-1)],
    );
    await prune();
    receiver.answer = (response) => void response.writeHead(204).end();
    receiver.received.length = 0;
    await world.sql('UPDATE webhook_delivery SET next_attempt_at = now() WHERE webhook_id = $1', [webhook.id]);
    await owner.put(`${base}/${webhook.id}`, { enabled: true });
    await publish(owner.organization);
    await until(async () => {
      const made = await deliveries();
      return made.length === 4 && made.every(({ status }) => status !== 'pending');
    }, 30_000);
    const ended = await deliveries();
    const failed = ended.filter(({ status }) => status === 'failed');
    const delivered = ended.filter(({ status }) => status === 'delivered');
    expect([failed.length, delivered.length]).toEqual([2, 2]);
    for (const { attempts } of failed)
      expect(attempts.at(-1)).toMatchObject({ status: null, error: 'the event is no longer kept' });
    expect(receiver.bodies('/gone').map(({ type }) => type)).toEqual(['environment.updated', 'environment.updated']);

    const again = (id: string) => owner.post(`${base}/${webhook.id}/deliveries/${id}/redeliver`);
    expect(await again(failed[0]!.id as string)).toMatchObject({ status: 410, body: { code: 'REPLAY_EXPIRED' } });
    expect((await again(delivered[0]!.id as string)).status).toBe(200);
    await until(() => receiver.received.length === 3);
    const recover = (since: string) => owner.post(`${base}/${webhook.id}/recover`, { since, status: 'all' });
    const refused = await recover('2020-01-01T00:00:00Z');
    expect(refused).toMatchObject({ status: 410, body: { code: 'REPLAY_EXPIRED', remedy: expect.any(String) } });
    expect(await recover(refused.body.since as string)).toMatchObject({ status: 200, body: { recovered: 2 } });
  });

  it('do not wait for numbers that were purged before they were read', async () => {
    const owner = await organizationWith(20, 20);
    await owner.post(`/api/identity/orgs/${owner.organization}/webhooks`, { url: receiver.url, events: ['*'] });
    await until(async () => !(await world.get(WebhookFeedStore).isBehind(owner.organization)));
    await world.sql('UPDATE webhook_feed SET position = 3 WHERE organization_id = $1', [owner.organization]);
    await world.sql('DELETE FROM event WHERE organization_id = $1', [owner.organization]);
    const fannedOut = await world
      .get(UnitOfWork)
      .run(() => world.get(WebhookFeedStore).fanOut(owner.organization, 100));
    expect(fannedOut?.count).toBe(0);
    expect(await world.get(WebhookFeedStore).isBehind(owner.organization)).toBe(false);
  });
});

describe('an export of events', () => {
  it('has every event once, in order, and resumes after any of them', async () => {
    const owner = await organizationWith(1_203, 0);
    const [header, ...lines] = await exported(owner, `${log(owner)}/export`);
    const last = lines.pop();
    expect(header).toMatchObject({ type: 'header', organization_id: owner.organization, after: '0', through: '1203' });
    expect(lines.map(({ sequence }) => Number(sequence))).toEqual(range(1, 1_203));
    expect(lines[1_000]).toMatchObject({ type: 'event', category: 'environment', metadata: {} });
    expect(lines[0]).not.toHaveProperty('status');
    expect(last).toEqual({ type: 'end', events: 1_203, last: '1203' });
    const rest = await exported(owner, `${log(owner)}/export?after=1200`);
    expect(rest.map(({ sequence, type }) => sequence ?? type)).toEqual(['header', '1201', '1202', '1203', 'end']);
    expect(await owner.get(`${log(owner)}/export?after=1204`)).toMatchObject({ status: 400 });
    expect(await owner.get(`${log(owner)}/export?after=-1`)).toMatchObject({ status: 400 });
  });

  it('is cut off when what it comes to next was purged, or its caller is no owner any more', async () => {
    const owner = await organizationWith(10, 0);
    await publish(owner.organization, 3_000, { text: 'x'.repeat(4_000) });
    const cutOff = async (during: () => Promise<unknown>): Promise<string> => {
      const response = await fetch(`${owner.baseUrl}${log(owner)}/export`, {
        headers: { authorization: `Bearer ${owner.token}`, 'accept-encoding': 'identity' },
      });
      const reader = response.body!.getReader();
      let text = Buffer.from((await reader.read()).value as Uint8Array).toString();
      await during();
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read())
          text += Buffer.from(next.value as Uint8Array).toString();
        return text;
      } catch {
        return `${text}…`;
      }
    };
    const broken = await cutOff(() =>
      world.sql('DELETE FROM event WHERE organization_id = $1 AND sequence <= 3000', [owner.organization]),
    );
    expect(broken.endsWith('…')).toBe(true);
    expect(broken).not.toContain('"type":"end"');
  });
});

describe('a purge', () => {
  it('removes up to a number once it is confirmed, publishes it as an event, and leaves the audit whole', async () => {
    const owner = await organizationWith(40, 0);
    const confirm = await nameOf(owner);
    const purge = (body: Json, query = '') => owner.post(`${log(owner)}/purge${query}`, body);
    for (const [body, pointer] of [
      [{ through: '5' }, '/confirm'],
      [{ through: '5', confirm: `${confirm} ` }, '/confirm'],
      [{ confirm }, '/through'],
      [{ through: '5', before: '2020-01-01T00:00:00Z', confirm }, '/through'],
      [{ through: '41', confirm }, '/through'],
      [{ through: '-1', confirm }, '/through'],
      [{ before: '2999-01-01T00:00:00Z', confirm }, '/before'],
      [{ through: '5', confirm, force: true }, '/force'],
    ] as const)
      expect(await purge(body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
    expect(await numbersOf(world, owner.organization)).toEqual(range(1, 40));

    expect(await purge({ through: '25', confirm })).toMatchObject({
      status: 200,
      body: { organization_id: owner.organization, through: '25', events: 25 },
    });
    expect(await numbersOf(world, owner.organization)).toEqual(range(26, 41));
    const feed = await owner.get(`/api/events?orgID=${owner.organization}&action=events_purged`);
    expect(feed.body.events).toMatchObject([
      { sequence: '41', user_id: owner.id, severity: 'warning', metadata: { through: '25', events: 25 } },
    ]);
    // What was removed before is not counted again, and what is gone already is no fault.
    expect((await purge({ through: '30', confirm })).body).toMatchObject({ events: 5 });
    expect((await purge({ through: '30', confirm })).body).toMatchObject({ events: 0 });
    const later = await purge({ before: new Date().toISOString(), confirm }, '?async=true');
    expect(later).toMatchObject({ status: 202, body: { kind: 'event-purge' } });
    const operation = () => owner.get(`/api/operations/${later.body.id}`);
    await until(async () => (await operation()).body.status === 'succeeded');
    expect((await numbersOf(world, owner.organization)).length).toBe(1);
    const audit = `/api/identity/orgs/${owner.organization}/audit`;
    const entries = async (): Promise<Json[]> =>
      (await owner.get(`${audit}?action=organization.events_purged`)).body.entries;
    await until(async () => (await entries()).length === 4);
    expect((await entries())[0]).toMatchObject({ outcome: 'allowed' });
    expect(JSON.stringify((await entries())[0])).toContain(owner.id);
    expect((await owner.get(`${audit}/verify`)).body).toMatchObject({ valid: true });
  });

  it('goes on where a process left it, and is carried out for owners only', async () => {
    const owner = await organizationWith(30, 0);
    const confirm = await nameOf(owner);
    const admin = await world.person('member');
    await world.join(admin, owner, 'admin');
    expect(await admin.post(`${log(owner)}/purge`, { through: '5', confirm })).toMatchObject({ status: 403 });
    expect(await admin.get(`${log(owner)}/export`)).toMatchObject({ status: 403 });
    expect(await admin.post(`${log(owner)}/erase`, { user_id: owner.id })).toMatchObject({ status: 403 });
    const outsider = await world.outsider();
    expect(await outsider.post(`${log(owner)}/purge`, { through: '5', confirm })).toMatchObject({ status: 404 });
    expect(await world.stranger.get(`${log(owner)}/export`)).toMatchObject({ status: 401 });
    // A part is gone when the job is taken up again.
    await world.sql('DELETE FROM event WHERE organization_id = $1 AND sequence <= 10', [owner.organization]);
    const results = await Promise.all(
      [20, 22].map((through) => owner.post(`${log(owner)}/purge`, { through: String(through), confirm })),
    );
    expect(results.map(({ status }) => status)).toEqual([200, 200]);
    expect((await numbersOf(world, owner.organization))[0]).toBe(23);
  });
});

describe('an erasure', () => {
  const untilRemovalIsDelivered = (organization: string): Promise<unknown> =>
    until(async () => {
      const ended = `SELECT FROM webhook_delivery WHERE organization_id = $1 AND kind = 'member.removed' AND status = 'delivered'`;
      return (await world.sql(ended, [organization])).length > 0;
    });

  it('takes the address of a person out of events, deliveries and the audit, whose chain still holds', async () => {
    const owner = await world.outsider();
    const person = await world.person('member');
    const base = `/api/identity/orgs/${owner.organization}`;
    const { body: webhook } = await owner.post(`${base}/webhooks`, { url: `${receiver.url}/erased`, events: ['*'] });
    await world.join(person, owner, 'member');
    await publish(owner.organization, 1, { email: `prefix${person.email}`, other: person.email.toUpperCase() });
    await until(() => receiver.at('/erased').some(({ body }) => body.includes('environment.updated')));
    const everywhere = async (): Promise<string> => {
      const texts = [
        JSON.stringify((await owner.get(`/api/events?orgID=${owner.organization}&pagesize=500`)).body),
        JSON.stringify((await owner.get(`${base}/webhooks/${webhook.id}/deliveries?pagesize=500`)).body),
        JSON.stringify((await owner.get(`${base}/audit?pagesize=500`)).body),
        JSON.stringify(
          await world.sql('SELECT email FROM invitation WHERE organization_id = $1', [owner.organization]),
        ),
      ];
      return texts.join('\n').replaceAll(`prefix${person.email}`, 'another address');
    };
    await until(async () => (await everywhere()).split(person.email).length > 4);
    expect(await owner.post(`${base}/events/erase`, { user_id: person.id })).toMatchObject({
      status: 409,
      body: { code: 'STILL_MEMBER' },
    });
    expect(await owner.post(`${base}/events/erase`, { user_id: owner.id })).toMatchObject({
      status: 409,
      body: { code: 'OWN_DATA' },
    });
    expect((await owner.delete(`${base}/users/${person.id}`)).status).toBe(200);
    const erased = await owner.post(`${base}/events/erase`, { user_id: person.id });
    expect(erased).toMatchObject({ status: 200, body: { user_id: person.id } });
    expect(erased.body.events).toBeGreaterThanOrEqual(2);
    expect(erased.body.deliveries).toBeGreaterThanOrEqual(1);
    expect((await everywhere()).toLowerCase()).not.toContain(person.email.toLowerCase());
    expect(await everywhere()).toContain('another address');
    const { body } = await owner.get(`/api/events?orgID=${owner.organization}&category=member`);
    expect(body.events.map(({ description }: Json) => description)).toContain('[erased] was added to the organization');
    const feed = await owner.get(`/api/events?orgID=${owner.organization}&action=personal_data_erased`);
    expect(feed.body.events).toMatchObject([{ metadata: { user_id: person.id } }]);
    expect((await owner.get(`${base}/audit/verify`)).body).toMatchObject({ valid: true });
    expect((await owner.post(`${base}/events/erase`, { user_id: randomUUID() })).body).toMatchObject({ events: 0 });
  });

  it('reaches a delivery that is under way, whose request is recorded when it ends', async () => {
    const owner = await world.outsider();
    const person = await world.person('member');
    const base = `/api/identity/orgs/${owner.organization}`;
    await world.join(person, owner, 'member');
    const { body: webhook } = await owner.post(`${base}/webhooks`, {
      ...{ url: `${receiver.url}/slow`, events: ['member.removed'] },
    });
    const { answer } = receiver;
    const held: (() => void)[] = [];
    receiver.answer = (response, received) => {
      if (received.path === '/slow') held.push(() => response.writeHead(200).end(`thanks for ${received.body}`));
      else answer(response, received);
    };
    try {
      expect((await owner.delete(`${base}/users/${person.id}`)).status).toBe(200);
      await until(() => held.length === 1);
      expect(receiver.at('/slow')[0]?.body).toContain(person.email);
      expect(await owner.post(`${base}/events/erase`, { user_id: person.id })).toMatchObject({ status: 200 });
    } finally {
      receiver.answer = answer;
      for (const release of held) release();
    }
    await untilRemovalIsDelivered(owner.organization);
    const { deliveries } = (await owner.get(`${base}/webhooks/${webhook.id}/deliveries`)).body;
    expect(deliveries).toMatchObject([{ status: 'delivered', attempts: [{ status: 200 }] }]);
    expect(
      JSON.stringify(await world.sql('SELECT * FROM webhook_delivery WHERE webhook_id = $1', [webhook.id])),
    ).not.toContain(person.email);
  });

  it('reaches deliveries whose events were purged, and the names in invitations', async () => {
    const owner = await world.outsider();
    const person = await world.person('member');
    const base = `/api/identity/orgs/${owner.organization}`;
    const { body: organization } = await owner.get(base);
    await owner.post(`${base}/webhooks`, { url: `${receiver.url}/purged`, events: ['*'] });
    const names = { first_name: 'Zenobia', last_name: 'Quillfeather' };
    const { body: invited } = await owner.post(`${base}/users`, { email: person.email, role: 'member', ...names });
    const token = String(invited.invitation_url).split('/').at(-1);
    expect(await person.post(`/api/auth/invitations/${token}`, {})).toMatchObject({ status: 200 });
    await until(() => receiver.at('/purged').some(({ body }) => body.includes('member.added')));
    const delivered = async (): Promise<string> =>
      JSON.stringify(
        await world.sql('SELECT * FROM webhook_delivery WHERE organization_id = $1', [owner.organization]),
      );
    const invitations = async (): Promise<string> =>
      JSON.stringify(await world.sql('SELECT * FROM invitation WHERE organization_id = $1', [owner.organization]));
    await until(async () => !(await delivered()).includes('"pending"'));
    const numbers = await numbersOf(world, owner.organization);
    await owner.post(`${log(owner)}/purge`, { through: String(numbers.at(-1)), confirm: organization.name });
    expect(await delivered()).toContain(person.email);
    expect(await invitations()).toContain('Quillfeather');
    expect((await owner.delete(`${base}/users/${person.id}`)).status).toBe(200);
    await untilRemovalIsDelivered(owner.organization);
    const erased = await owner.post(`${base}/events/erase`, { user_id: person.id });
    expect(erased).toMatchObject({ status: 200 });
    expect(erased.body.deliveries).toBeGreaterThanOrEqual(1);
    expect(await delivered()).not.toContain(person.email);
    for (const gone of [person.email, ...Object.values(names)]) expect(await invitations()).not.toContain(gone);
  });
});
