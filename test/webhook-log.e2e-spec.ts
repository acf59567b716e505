import { WebhookDeliveriesStore } from '../src/events/webhooks/deliveries/webhook-deliveries.store.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import type { Json } from './support/person.js';
import type { Receiver } from './support/receiver.js';
import { until } from './support/until.js';
import { done, type People, type WorkspaceScene } from './support/workspace-scene.js';
import { type RegisteredWebhook, WebhookScene } from './support/webhook-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;
let receiver: Receiver;
let webhooks: WebhookScene;

beforeAll(async () => {
  world = await World.start({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  webhooks = await WebhookScene.make(world);
  ({ people, scene, receiver } = webhooks);
});
afterEach(() => webhooks.reset());
afterAll(async () => {
  await world.stop();
  await webhooks.stop();
});

const written = async (webhook: RegisteredWebhook, attempts = 1): Promise<Json> => {
  await until(async () => (await webhooks.deliveries(webhook))[0]?.attempts.length >= attempts);
  return (await webhooks.deliveries(webhook))[0]!;
};
const idOf = (webhook: RegisteredWebhook, index: number): unknown =>
  webhooks.received(webhook)[index]?.headers['webhook-id'];

describe('the log of deliveries', () => {
  it('does not show the sealed values that a receiver repeats in its answer', async () => {
    const headers = { 'X-Token': 'canary/of"a-header', Authorization: 'Bearer canary-of-a-token' };
    const webhook = await webhooks.register({ headers, format: 'pagerduty', routing_key: 'canary-of-pagerduty' });
    receiver.answer = (response, { headers: got, body }) =>
      void response.writeHead(200, { 'x-repeated': got.authorization }).end(
        JSON.stringify({
          ...{ said: got['x-token'], token: got.authorization?.slice('Bearer '.length) },
          ...{ key: JSON.parse(body).routing_key, rest: 'kept' },
        }).replaceAll('/', '\\/'),
      );
    await webhooks.design('repeated');
    const delivery = await written(webhook);
    expect(webhooks.received(webhook)[0]!.headers['x-token']).toBe(headers['X-Token']);
    expect(delivery.attempts[0].response_headers['x-repeated']).toBe('[redacted]');
    expect(delivery.attempts[0].response_body).toContain('"rest":"kept"');
    expect(JSON.stringify(delivery)).not.toContain('canary');
  });

  it('loses what is older than 30 days, however much that is', async () => {
    const webhook = await webhooks.register({ events: ['design.published'] });
    await world.sql(
      `INSERT INTO webhook_delivery (id, webhook_id, organization_id, workspace_id, subject, kind, status, created_at)
       SELECT gen_random_uuid(), webhook.id, organization_id, workspace_id, gen_random_uuid(), 'design.published', 'delivered',
              now() - days * interval '1 day'
         FROM webhook, generate_series(1, 12000) AS n, (VALUES (31), (29)) AS age (days) WHERE id = $1 AND (days = 31 OR n = 1)`,
      [webhook.id],
    );
    const { signal } = new AbortController();
    await world.get(UnitOfWork).runAsSystem('a test', () => world.get(WebhookDeliveriesStore).deleteOld(signal));
    expect(await world.sql('SELECT FROM webhook_delivery WHERE webhook_id = $1', [webhook.id])).toHaveLength(1);
  });
});

describe('sending again', () => {
  it('recovers all of a span, however much that is', async () => {
    const webhook = await webhooks.register({ events: ['design.published'] });
    receiver.answer = (response) => void response.writeHead(500).end();
    await world.sql(
      `WITH made AS (
         INSERT INTO event (id, sequence, acted_upon, category, action, severity, description, created_at)
         SELECT gen_random_uuid(), 1000000 + n, gen_random_uuid(), 'design', 'published', 'informational', 'one of many', now() FROM generate_series(1, 12000) AS n
         RETURNING id)
       INSERT INTO webhook_delivery (id, webhook_id, organization_id, workspace_id, event_id, subject, kind, status, created_at)
       SELECT gen_random_uuid(), webhook.id, organization_id, workspace_id, made.id, webhook.id, 'design.published', 'failed',
              now() - interval '1 hour' FROM webhook, made WHERE webhook.id = $1`,
      [webhook.id],
    );
    const since = new Date(Date.now() - 2 * 3_600_000).toISOString();
    expect(await people.admin.post(`${webhook.base}/recover`, { since })).toMatchObject({
      body: { recovered: 12_000 },
    });
    expect(
      await world.sql(`SELECT FROM webhook_delivery WHERE webhook_id = $1 AND status = 'failed'`, [webhook.id]),
    ).toEqual([]);
  });

  it('is under the same id for the same body, and under another for another', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    await webhooks.design('in two formats');
    const { id } = await written(webhook);
    const again = async (count: number): Promise<void> => {
      await done(people.admin.post(`${webhook.base}/deliveries/${id}/redeliver`));
      await written(webhook, count);
    };
    await again(2);
    await done(people.admin.put(webhook.base, { format: 'slack' }));
    await again(3);
    await again(4);
    const [first, same, slack, slackAgain] = [0, 1, 2, 3].map((index) => idOf(webhook, index));
    expect(same).toBe(first);
    expect(webhooks.received(webhook)[2]!.body).not.toBe(webhooks.received(webhook)[0]!.body);
    expect(slack).not.toBe(first);
    expect(String(slack).startsWith(`${String(first)}-`)).toBe(true);
    expect(slackAgain).toBe(slack);
    expect(webhooks.received(webhook)[3]!.body).toBe(webhooks.received(webhook)[2]!.body);
  });

  it.each([
    [
      'redelivered',
      (webhook: RegisteredWebhook, id: string) => [`${webhook.base}/deliveries/${id}/redeliver`] as const,
    ],
    [
      'recovered',
      (webhook: RegisteredWebhook) => [`${webhook.base}/recover`, { since: '2026-01-01', status: 'all' }] as const,
    ],
  ])(
    'takes what waits before it of the same record along when it is %s',
    async (_, call) => {
      const webhook = await webhooks.register();
      receiver.answer = (response) => void response.writeHead(503, { 'retry-after': '7200' }).end();
      const { id } = await webhooks.design('waits');
      await written(webhook);
      await done(people.editor.put(`/api/pattern/${id}`, { name: 'waits behind' }));
      await until(async () => (await webhooks.deliveries(webhook)).length === 2, 20_000);
      const [first, second] = await webhooks.deliveries(webhook);
      // As after five days: what waits counts as failed but for the first, which is tried still.
      await world.sql(`UPDATE webhook_delivery SET status = 'failed' WHERE id = $1`, [second!.id]);
      expect(Date.parse(first!.next_attempt_at as string)).toBeGreaterThan(Date.now() + 3_600_000);
      receiver.answer = (response) => void response.writeHead(204).end();
      const [path, body] = call(webhook, second!.id as string);
      await done(people.admin.post(path, body));
      await until(async () => (await webhooks.deliveries(webhook)).every(({ status }) => status === 'delivered'));
      expect(receiver.bodies(webhook.path).map(({ type }) => type)).toEqual([
        ...['design.created', 'design.created', 'design.updated'],
      ]);
    },
    40_000,
  );

  it.each([
    ...['20260101T000000Z', '2026-W05-1', '2026-W05-1T00:00:00Z', '2026-001', '2026-01-01T00:00:00,5Z'],
    ...['2026-01-01T00Z', '2026-01-01T10:00+01', '2026-02-30', 'yesterday'],
  ])('names the field of the time %s, which is none', async (since) => {
    const webhook = await webhooks.register();
    expect(await people.admin.post(`${webhook.base}/recover`, { since })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/since', detail: expect.stringContaining('2027-01-31T18:00:00Z') }] },
    });
  });

  it('takes a span that ends after it begins', async () => {
    const webhook = await webhooks.register();
    const recover = (since: string, to: string) => people.admin.post(`${webhook.base}/recover`, { since, until: to });
    expect(await recover('2026-01-02', '2026-01-01')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/until' }] },
    });
    expect(await recover('2026-01-01', '2026-01-02T00:00:00+02:00')).toMatchObject({ body: { recovered: 0 } });
  });

  it('is refused in an archived workspace, whose log is read still', async () => {
    const webhook = await webhooks.register();
    await webhooks.design('before it is archived');
    const { id } = await written(webhook);
    await done(people.admin.post(`${scene.path}/archive`));
    try {
      for (const [path, body] of [
        [`${webhook.base}/test`],
        [`${webhook.base}/deliveries/${id}/redeliver`],
        [`${webhook.base}/recover`, { since: '2026-01-01' }],
      ] as const)
        expect(await people.admin.post(path, body)).toMatchObject({
          status: 409,
          body: { code: 'WORKSPACE_ARCHIVED' },
        });
      expect(await webhooks.deliveries(webhook)).toHaveLength(1);
    } finally {
      await done(people.admin.post(`${scene.path}/restore`));
    }
  });
});
