import { spawn } from 'node:child_process';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookSettings } from '../src/events/webhooks/deliveries/webhook-settings.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import { AUTHORITY, CERTIFICATES, CERTIFIED_KEY } from './support/certificates.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { Receiver } from './support/receiver.js';
import { SELF_SIGNED } from './support/self-signed.js';
import { compiledProgram } from './support/programs.js';
import { trust } from './support/trust.js';
import { until } from './support/until.js';
import { done, type People } from './support/workspace-scene.js';
import { type RegisteredWebhook, WebhookScene } from './support/webhook-scene.js';
import { World } from './support/world.js';

const HOUR = 3_600_000;
const DEFAULTS = {
  ...new WebhookSettings(),
  retryDelaysMs: Array<number>(9).fill(50),
  timeoutMs: 3_000,
  minPauseMs: 50,
};

let world: World;
let receiver: Receiver;
let proxy: DatabaseProxy;
let databaseUrl = '';
let people: People;
let webhooks: WebhookScene;

beforeAll(async () => {
  world = await World.start({ OUTBOUND_ALLOW: '127.0.0.1/32' }, async (url) => {
    databaseUrl = url;
    proxy = await DatabaseProxy.before(url);
    return proxy.url;
  });
  webhooks = await WebhookScene.make(world);
  ({ people, receiver } = webhooks);
});
afterAll(async () => {
  await world.stop();
  await Promise.all([webhooks.stop(), proxy.stop()]);
});
beforeEach(() => set({}));
afterEach(() => webhooks.reset());

const set = (settings: Partial<WebhookSettings>): void =>
  void Object.assign(world.get(WebhookSettings), DEFAULTS, settings);
const allDelivered = (webhook: RegisteredWebhook, count: number, ms = 20_000): Promise<void> =>
  until(
    async () => (await webhooks.deliveries(webhook)).filter(({ status }) => status === 'delivered').length === count,
    ms,
  );
const attempted = (webhook: RegisteredWebhook, count = 1): Promise<void> =>
  until(async () => (await webhooks.deliveries(webhook))[0]?.attempts.length >= count, 20_000);
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${world.baseUrl}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  );
};
const idsOf = (webhook: RegisteredWebhook): unknown[] =>
  webhooks.received(webhook).map(({ headers }) => headers['webhook-id']);

describe('a receiver', () => {
  it('may take as long as the time-out; what it answers later is no answer, and comes again under the same id', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    const delays = [2_000, 4_500, 0];
    receiver.answer = (response) => void setTimeout(() => response.writeHead(204).end(), delays.shift());
    await webhooks.design('slow');
    await allDelivered(webhook, 1);
    await webhooks.design('too slow');
    await allDelivered(webhook, 2);
    const [slow, late] = await webhooks.deliveries(webhook);
    expect(slow).toMatchObject({ failures: 0, attempts: [{ status: 204, error: null }] });
    expect(slow!.attempts[0].duration_ms).toBeGreaterThanOrEqual(1_990);
    expect(late).toMatchObject({
      failures: 1,
      attempts: [{ status: null, error: expect.stringContaining('did not answer in time') }, { status: 204 }],
    });
    const [, second, third] = idsOf(webhook);
    expect(third).toBe(second);
  }, 60_000);

  it.each([
    ['goes on with its answer without end', (r: ServerResponse) => void setInterval(() => r.write('x'), 50).unref()],
    ['breaks off in its answer', (r: ServerResponse) => void setTimeout(() => r.destroy(), 50)],
  ])('has taken an event once its status says so, also when it %s', async (_, go) => {
    set({ timeoutMs: 1_000 });
    const webhook = await webhooks.register({ events: ['design.created'] });
    receiver.answer = (response) => {
      response.writeHead(200, { 'content-length': '100000' }).write('taken');
      go(response);
    };
    await webhooks.design('taken');
    await allDelivered(webhook, 1);
    expect((await webhooks.deliveries(webhook))[0]!.attempts).toMatchObject([
      { status: 200, error: null, response_body: expect.stringMatching(/^taken/) },
    ]);
    expect(webhooks.received(webhook)).toHaveLength(1);
  });

  it('is left alone until the date that Retry-After gives', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    let first = true;
    receiver.answer = (response) => {
      const date = new Date(Date.now() + 3_500).toUTCString();
      response.writeHead(first ? 429 : 204, first ? { 'retry-after': date } : {}).end();
      first = false;
    };
    await webhooks.design('limited');
    await allDelivered(webhook, 1);
    const [one, two] = webhooks.received(webhook);
    expect(two!.at - one!.at).toBeGreaterThanOrEqual(2_400);
  }, 30_000);

  it('that asks for years is tried again after a day, gets nothing else for a while, and anything at once when it is asked for', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '99999999999' }).end();
    await webhooks.design('absurd');
    await attempted(webhook);
    const [delivery] = await webhooks.deliveries(webhook);
    const wait = Date.parse(delivery!.next_attempt_at as string) - Date.now();
    expect(wait).toBeGreaterThan(23.9 * HOUR);
    expect(wait).toBeLessThan(24.1 * HOUR);
    await webhooks.design('of another record');
    await until(async () => (await webhooks.deliveries(webhook)).length === 2);
    const [pause] = await world.sql<{ seconds: number }>(
      'SELECT extract(epoch FROM until - now())::float8 AS seconds FROM webhook_pause WHERE webhook_id = $1',
      [webhook.id],
    );
    expect(pause?.seconds).toBeGreaterThan(800);
    expect(pause?.seconds).toBeLessThanOrEqual(900);
    expect(webhooks.received(webhook)).toHaveLength(1);
    receiver.answer = (response) => void response.writeHead(204).end();
    await done(people.admin.post(`${webhook.base}/deliveries/${delivery!.id}/redeliver`));
    await allDelivered(webhook, 2);
  }, 30_000);

  it.each(['soon', '-5', '0', '1e9', 'Thu, 01 Jan 1970 00:00:00 GMT', '\u00b2'])(
    'that asks for nothing that can be, such as %j, is tried again as without it',
    async (value) => {
      const webhook = await webhooks.register({ events: ['design.created'] });
      const headers = Buffer.from(value, 'latin1').toString('latin1');
      const statuses = [429, 204];
      receiver.answer = (response) =>
        void response.writeHead(statuses.shift() ?? 204, { 'retry-after': headers }).end();
      await webhooks.design('asked');
      await allDelivered(webhook, 1);
      expect(webhooks.received(webhook)).toHaveLength(2);
    },
    30_000,
  );

  it('that works every second time gets everything, and counts as working', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    let calls = 0;
    receiver.answer = (response) => void response.writeHead(calls++ % 2 === 0 ? 500 : 204).end();
    for (let n = 0; n < 6; n++) await webhooks.design(`flapping ${n}`);
    await allDelivered(webhook, 6);
    expect(new Set(idsOf(webhook)).size).toBe(6);
    expect((await done(world.admin.get(webhook.base))).enabled).toBe(true);
    receiver.answer = (response) => void response.writeHead(204).end();
    await webhooks.design('at last');
    await allDelivered(webhook, 7);
    const rows = await world.sql<{ failing: boolean; paused: boolean }>(
      `SELECT failing_since IS NOT NULL AS failing, EXISTS (SELECT FROM webhook_pause WHERE webhook_id = id) AS paused
         FROM webhook WHERE id = $1`,
      [webhook.id],
    );
    expect(rows).toEqual([{ failing: false, paused: false }]);
  }, 30_000);

  it('that fails is not called for each event, but when a user tests it or changes its address', async () => {
    set({ minPauseMs: HOUR, maxPauseMs: HOUR, retryDelaysMs: Array<number>(9).fill(1) });
    const webhook = await webhooks.register({ events: ['design.created'] });
    receiver.answer = (response) => void response.writeHead(500).end();
    await webhooks.design('first');
    await attempted(webhook);
    for (let n = 0; n < 5; n++) await webhooks.design(`while it fails ${n}`);
    await until(async () => (await webhooks.deliveries(webhook)).length === 6);
    await sleep(1_500);
    expect(webhooks.received(webhook)).toHaveLength(1);
    await done(people.admin.post(`${webhook.base}/test`));
    await until(() => webhooks.received(webhook).length === 2);
    receiver.answer = (response) => void response.writeHead(204).end();
    await until(
      async () => (await world.sql('SELECT FROM webhook_pause WHERE webhook_id = $1', [webhook.id])).length > 0,
    );
    await done(people.admin.put(webhook.base, { url: `${receiver.url}${webhook.path}`, description: 'mended' }));
    await allDelivered(webhook, 7, 30_000);
  }, 60_000);

  it('that fails is given its events behind others: all of them, once and in order, when it works again or is disabled', async () => {
    set({ deferMs: HOUR, minPauseMs: 300 });
    // What an earlier test has left for soon.
    await sleep(DEFAULTS.deferMs + 100);
    const kinds = ['design.created', 'design.updated'];
    const [failing, working] = [await webhooks.register({ events: kinds }), await webhooks.register({ events: kinds })];
    let fails = true;
    receiver.answer = (response, { path }) => void response.writeHead(fails && path === failing.path ? 500 : 204).end();
    const { id } = await webhooks.design('changed often');
    await attempted(failing);
    for (let n = 0; n < 4; n++) await done(people.editor.put(`/api/pattern/${id}`, { name: `change ${n}` }));
    await allDelivered(working, 5);
    const isDeferred = async (): Promise<boolean> =>
      (await world.sql('SELECT FROM webhook_deferral WHERE webhook_id = $1', [failing.id])).length > 0;
    const given = async (): Promise<number> => (await webhooks.deliveries(failing)).length;
    expect(await given()).toBe(1);
    expect(await metric('armature_webhook_endpoints_failing')).toBe(1);
    expect(await metric('armature_webhook_deliveries_pending')).toBeGreaterThan(0);
    expect(await metric('armature_webhook_attempts_total{outcome="retried"}')).toBeGreaterThan(0);
    expect(await metric('armature_webhook_delay_seconds_count')).toBeGreaterThanOrEqual(5);

    fails = false;
    await allDelivered(failing, 5);
    const sequences = receiver.bodies(failing.path).map(({ data }) => Number(data.sequence));
    const first = sequences.lastIndexOf(sequences[0]!);
    expect(sequences.slice(first)).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    await until(async () => !(await isDeferred()));

    // No attempt is under way when it is disabled, which would be the last of its delivery.
    set({ deferMs: HOUR, minPauseMs: HOUR, maxPauseMs: HOUR });
    fails = true;
    await done(people.editor.put(`/api/pattern/${id}`, { name: 'fails again' }));
    await until(isDeferred);
    await done(people.editor.put(`/api/pattern/${id}`, { name: 'before it is disabled' }));
    await allDelivered(working, 7);
    expect(await given()).toBe(6);
    await done(people.admin.put(failing.base, { enabled: false }));
    expect(await given()).toBe(7);
    await done(people.editor.put(`/api/pattern/${id}`, { name: 'while it is disabled' }));
    await allDelivered(working, 8);
    fails = false;
    await done(people.admin.put(failing.base, { enabled: true }));
    await allDelivered(failing, 7);
    expect(new Set(idsOf(failing)).size).toBe(7);
  }, 60_000);

  it('must show a certificate that holds', async () => {
    const restore = trust(AUTHORITY);
    try {
      const [good, ...broken] = await Promise.all([
        Receiver.start({ cert: CERTIFICATES.good, key: CERTIFIED_KEY }),
        Receiver.start({ cert: CERTIFICATES.expired, key: CERTIFIED_KEY }),
        Receiver.start({ cert: CERTIFICATES.otherName, key: CERTIFIED_KEY }),
        Receiver.start(SELF_SIGNED),
      ]);
      good.answer = (response) => void response.writeHead(204).end();
      const reasons = [/has expired/, /is for another name/, /is self-signed/];
      const [trusted, ...refused] = await Promise.all(
        [good, ...broken].map(({ url }) => webhooks.register({ url, events: ['design.created'] })),
      );
      await webhooks.design('over TLS');
      await allDelivered(trusted!, 1);
      expect(good.at(trusted!.path)).toHaveLength(1);
      for (const [index, webhook] of refused.entries()) {
        await attempted(webhook);
        expect((await webhooks.deliveries(webhook))[0]!.attempts[0]).toMatchObject({
          status: null,
          error: expect.stringMatching(reasons[index]!),
        });
        expect(broken[index]!.received).toEqual([]);
      }
      await Promise.all([good, ...broken].map((each) => each.stop()));
    } finally {
      restore();
    }
  }, 30_000);

  it('whose name moves to a private address between two tries is not called there', async () => {
    const inside = await Receiver.start();
    const port = new URL(receiver.url).port;
    let address = '127.0.0.1';
    const restore = resolveName('moving.example.org', () => address);
    try {
      const webhook = await webhooks.register({ url: `http://moving.example.org:${port}`, events: ['design.created'] });
      receiver.answer = (response) => {
        address = '10.0.0.1';
        response.writeHead(500, { connection: 'close' }).end();
      };
      await webhooks.design('moved');
      await attempted(webhook, 2);
      expect((await webhooks.deliveries(webhook))[0]!.attempts.slice(0, 2)).toMatchObject([
        { status: 500 },
        { status: null, error: expect.stringMatching(/refused: .* is not a public address \(private\)/) },
      ]);
      expect((await webhooks.deliveries(webhook))[0]!.attempts[1].error).not.toContain('10.0.0.1');
      expect(webhooks.received(webhook)).toHaveLength(1);
      address = '127.0.0.1';
      receiver.answer = (response) => void response.writeHead(204).end();
      await allDelivered(webhook, 1);
    } finally {
      restore();
      await inside.stop();
    }
  }, 30_000);
});

describe('a delivery', () => {
  it.each([
    ['back', -2 * HOUR],
    ['ahead', 10 * 60_000],
  ])(
    'is tried again in its time when the clock of the server jumps %s',
    async (_, jump) => {
      set({ retryDelaysMs: Array<number>(9).fill(1_500), minPauseMs: 1_500 });
      const webhook = await webhooks.register({ events: ['design.created'] });
      const { now } = Date;
      let calls = 0;
      receiver.answer = (response) => {
        if (calls++ === 0) Date.now = () => now() + jump;
        response.writeHead(calls <= 2 ? 500 : 204).end();
      };
      try {
        await webhooks.design('jumped');
        await until(() => webhooks.received(webhook).length === 3, 20_000 + Math.max(0, jump));
      } finally {
        Date.now = now;
      }
      const rows = await world.sql<{ at: string }>(
        `SELECT jsonb_array_elements(attempts) ->> 'at' AS at FROM webhook_delivery WHERE webhook_id = $1`,
        [webhook.id],
      );
      await allDelivered(webhook, 1);
      const times = rows.map(({ at }) => Date.parse(at));
      expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1_400);
      expect((await done(world.admin.get(webhook.base))).enabled).toBe(true);
    },
    60_000,
  );

  it('that was answered in time does not come again, although the database is away for longer than the lease', async () => {
    Object.assign(world.get(JobSettings), { leaseMs: 500, heartbeatMs: 100 });
    const webhook = await webhooks.register({ events: ['design.created'] });
    let answerLate: (() => void) | undefined;
    receiver.answer = (response) => {
      if (answerLate) return void response.writeHead(204).end();
      answerLate = () => response.writeHead(204).end();
    };
    await webhooks.design('through an outage');
    await until(() => answerLate !== undefined);
    await proxy.takeAway('refuse');
    answerLate?.();
    await sleep(2_000);
    await proxy.giveBack();
    await until(async () => (await world.admin.get(webhook.base)).status === 200, 30_000);
    await allDelivered(webhook, 1, 30_000);
    expect(webhooks.received(webhook)).toHaveLength(1);
    await webhooks.design('after the outage');
    await allDelivered(webhook, 2, 30_000);
    expect(webhooks.received(webhook)).toHaveLength(2);
    Object.assign(world.get(JobSettings), { leaseMs: 15_000, heartbeatMs: 5_000 });
  }, 120_000);

  it('is made by another server when its own is killed before it, or in the middle of it', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    set({ slots: 0 });
    try {
      await webhooks.design('committed and left');
      receiver.answer = () => undefined;
      const child = spawn(process.execPath, [await compiledProgram('test/server-replica.ts'), databaseUrl, '600000'], {
        env: {},
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(child, 'exit');
      await until(() => webhooks.received(webhook).length === 1, 60_000);
      child.kill('SIGKILL');
      await ended;
      receiver.answer = (response) => void response.writeHead(204).end();
    } finally {
      set({});
    }
    await allDelivered(webhook, 1, 30_000);
    expect(webhooks.received(webhook)).toHaveLength(2);
    expect(new Set(idsOf(webhook)).size).toBe(1);
    expect((await webhooks.deliveries(webhook))[0]).toMatchObject({ failures: 0, attempts: [{ status: 204 }] });
  }, 120_000);
});

/** Answers for a name in place of the system. @returns what undoes it */
function resolveName(name: string, address: () => string): () => void {
  const { lookup } = dns;
  const { lookup: lookupPromise } = dns.promises;
  type Callback = (error: Error | null, addresses: unknown, family?: number) => void;
  const answer = () => [{ address: address(), family: 4 }];
  dns.lookup = ((host: string, options: object, callback: Callback) =>
    host === name
      ? callback(null, answer())
      : (lookup as (...args: unknown[]) => void)(host, options, callback)) as never;
  dns.promises.lookup = ((host: string, options: object) =>
    host === name ? Promise.resolve(answer()) : lookupPromise(host, options)) as never;
  syncBuiltinESMExports();
  return () => {
    dns.lookup = lookup;
    dns.promises.lookup = lookupPromise;
    syncBuiltinESMExports();
  };
}
