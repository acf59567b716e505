import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Verifier } from 'standardwebhooks';
import { WebhookFeedStore } from '../src/events/webhooks/deliveries/webhook-feed.store.js';
import { WebhookSettings } from '../src/events/webhooks/deliveries/webhook-settings.js';
import type { Json } from './support/person.js';
import type { Received, Receiver } from './support/receiver.js';
import { requires } from './support/requirements.js';
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
  Object.assign(world.get(WebhookSettings), {
    ...{ retryDelaysMs: Array<number>(9).fill(50), timeoutMs: 500, minPauseMs: 50, maxPauseMs: 100 },
  });
});
afterEach(() => webhooks.reset());
afterAll(async () => {
  await world.stop();
  await webhooks.stop();
});

const organizationHooks = (): string => `/api/identity/orgs/${world.organization}/webhooks`;

const headersOf = ({ headers }: Received) => headers as Record<string, string>;
const settled = async (webhook: RegisteredWebhook): Promise<Json[]> => {
  await until(async () => {
    const log = await webhooks.deliveries(webhook);
    return log.length > 0 && log.every(({ status }) => status !== 'pending');
  });
  return webhooks.deliveries(webhook);
};

describe('a webhook', () => {
  it('sends events of its workspace, signed as the library of the specification verifies', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const made = await webhooks.design('signed');
    await until(() => receiver.at(webhook.path).length > 0);
    const [got] = receiver.at(webhook.path);
    const body = new Verifier(webhook.secret).verify(got!.body, headersOf(got!)) as Json;
    expect(body).toEqual({
      type: 'design.created',
      timestamp: expect.stringMatching(/Z$/),
      data: expect.objectContaining({
        acted_upon: made.id,
        workspace_id: scene.id,
        organization_id: world.organization,
        user_id: people.editor.id,
        category: 'design',
        action: 'created',
      }),
    });
    expect(got!.headers['webhook-id']).toBe(body.data.id);
    expect(() => new Verifier(webhook.secret).verify(`${got!.body} `, headersOf(got!))).toThrow();
  });

  requires('PYTHON_BIN', 'with the library of the specification in Python', (python) => {
    it('a delivery is verified', async () => {
      const webhook = await webhooks.register({ events: ['design.created'] });
      await webhooks.design('signed for Python');
      await until(() => receiver.at(webhook.path).length > 0);
      const { body, headers } = receiver.at(webhook.path)[0]!;
      const program = `import json, sys
from standardwebhooks import Webhook
given = json.load(sys.stdin)
print(json.dumps(Webhook(given["secret"]).verify(given["body"], given["headers"])["type"]))`;
      const run = spawnSync(python, ['-c', program], {
        input: JSON.stringify({ secret: webhook.secret, body, headers }),
        encoding: 'utf8',
      });
      expect({ out: run.stdout.trim(), error: run.stderr }).toEqual({ out: '"design.created"', error: '' });
    });
  });

  it('is read by admins without its secrets, changed with what was read, and deleted', async () => {
    const webhook = await webhooks.register({ events: ['*'], headers: { 'X-Token': 'canary-of-a-header' } });
    const read = await people.admin.get(webhook.base);
    expect(read.body).toMatchObject({ header_names: ['X-Token'], format: 'standard', enabled: true });
    expect(JSON.stringify(read.body)).not.toMatch(/canary|whsec_/);
    const kept = JSON.stringify(await world.sql('SELECT * FROM webhook WHERE id = $1', [webhook.id]));
    expect(kept).not.toContain('canary');
    const same = await people.admin.put(webhook.base, {
      ...read.body,
      headers: { 'X-Token': 'canary-of-a-header' },
    });
    expect(same.body).toEqual(read.body);
    expect(same.headers.get('etag')).toBe(read.headers.get('etag'));
    const changed = await people.admin.put(
      webhook.base,
      { ...read.body, events: ['design.*'] },
      { headers: { 'if-match': read.headers.get('etag') ?? '' } },
    );
    expect(changed.body).toMatchObject({ events: ['design.*'], header_names: ['X-Token'] });
    const stale = await people.admin.put(
      webhook.base,
      { enabled: false },
      { headers: { 'if-match': read.headers.get('etag') ?? '' } },
    );
    expect(stale.status).toBe(412);
    expect((await done(people.admin.get(webhooks.hooks))).webhooks.map(({ id }: Json) => id)).toContain(webhook.id);
    await webhooks.design('with a header');
    await until(() => receiver.at(webhook.path).length > 0);
    expect(receiver.at(webhook.path)[0]!.headers['x-token']).toBe('canary-of-a-header');
    expect(JSON.stringify(await webhooks.deliveries(webhook))).not.toContain('canary');
    await done(people.admin.delete(webhook.base));
    expect((await people.admin.get(webhook.base)).status).toBe(404);
  });

  it('seals what may be a key in a URL, and shows it only when it is created', async () => {
    const key = 'canaryABCDEF0123456789';
    const url = `${receiver.url}/services/${key}`;
    const made = await done(people.admin.post(webhooks.hooks, { url: `${url}?token=canary-query`, events: ['*'] }));
    expect(made.url).toBe(`${url}?token=canary-query`);
    const path = `${webhooks.hooks}/${made.id}`;
    const read = await people.admin.get(path);
    expect(read.body.url).toBe(`${receiver.url}/services/[redacted]?token=[redacted]`);
    const back = await people.admin.put(path, read.body);
    expect(back.headers.get('etag')).toBe(read.headers.get('etag'));
    await done(people.admin.put(path, { headers: { 'x-a': 'b' } }));
    await webhooks.design('by a sealed address');
    const target = `/services/${key}?token=canary-query`;
    await until(() => receiver.at(target).length > 0);
    const log = await people.admin.get(`${path}/deliveries`);
    const stored = await world.sql('SELECT w::text FROM webhook w');
    const audit = await world.admin.get(`/api/identity/orgs/${world.organization}/audit?resource=${made.id}`);
    expect(JSON.stringify([read.body, back.body, log.body, stored, audit.body])).not.toMatch(/canary/);
    await done(people.admin.delete(path));
  });

  it('sends what is sealed to another server or path only when it is sent anew', async () => {
    const elsewhere = { url: 'http://127.0.0.1:9/' };
    const withHeaders = await webhooks.register({ events: ['*'], headers: { 'X-Token': 'canary-of-a-header' } });
    const path = `${webhooks.hooks}/${withHeaders.id}`;
    for (const url of [elsewhere.url, `${receiver.url}/moved`])
      expect(await people.admin.put(path, { url })).toMatchObject({
        status: 400,
        body: { code: 'SECRET_REQUIRED', errors: [{ pointer: '/headers' }] },
      });
    await done(people.admin.put(path, { url: `${withHeaders.url}?added=1` }));
    await done(people.admin.put(path, { ...elsewhere, headers: {} }));
    const paged = await webhooks.register({ events: ['*'], format: 'pagerduty', routing_key: 'canary-of-pagerduty' });
    const other = `${webhooks.hooks}/${paged.id}`;
    expect(await people.admin.put(other, elsewhere)).toMatchObject({
      status: 400,
      body: { code: 'SECRET_REQUIRED', errors: [{ pointer: '/routing_key' }] },
    });
    await done(people.admin.put(other, { ...elsewhere, format: 'standard' }));
    expect(await people.admin.put(other, { format: 'pagerduty' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/routing_key' }] },
    });
  });

  it('is refused with every fault named', async () => {
    const refusals: [Json, string][] = [
      [{ events: ['no.such'] }, '/events'],
      [{ events: [] }, '/events'],
      [{ events: ['design.*'], headers: { 'webhook-id': 'x' } }, '/headers'],
      [{ events: ['design.*'], headers: { 'x-a': 'line\nbreak' } }, '/headers'],
      [{ events: ['design.*'], severities: ['fatal'] }, '/severities'],
      [{ events: ['design.*'], format: 'xml' }, '/format'],
      [{ events: ['design.*'], format: 'pagerduty' }, '/routing_key'],
    ];
    for (const [fields, pointer] of refusals) {
      const { status, body } = await people.admin.post(webhooks.hooks, { url: receiver.url, ...fields });
      expect({ fields, status, pointers: body.errors?.map((e: Json) => e.pointer) }).toEqual({
        ...{ fields, status: 400, pointers: [pointer] },
      });
    }
    const metadata = await people.admin.post(webhooks.hooks, { url: 'http://169.254.169.254/', events: ['*'] });
    expect(metadata).toMatchObject({ status: 400, body: { code: 'OUTBOUND_REFUSED', errors: [{ pointer: '/url' }] } });
  });

  it('is sent what its kinds, its severities and its workspace let through, from its creation on', async () => {
    await webhooks.design('before');
    const byKind = await webhooks.register({ events: ['design.deleted'] });
    const bySeverity = await webhooks.register({ events: ['*'], severities: ['error'] });
    const all = await webhooks.register({ events: ['*'] });
    const ofOrganization = await webhooks.register({ events: ['environment.*'] }, world.admin, organizationHooks());
    const { id } = await webhooks.design('filtered');
    await done(people.admin.delete(`/api/pattern/${id}`));
    await scene.looseEnvironment();
    await until(() => receiver.at(ofOrganization.path).length > 0);
    await until(() => receiver.bodies(all.path).some(({ type }) => type === 'design.deleted'));
    expect(receiver.bodies(all.path).filter(({ data }) => data.acted_upon === id)).toMatchObject([
      { type: 'design.created' },
      { type: 'design.deleted' },
    ]);
    expect(receiver.bodies(all.path).every(({ data }) => data.workspace_id === scene.id)).toBe(true);
    expect(receiver.bodies(byKind.path).map(({ type }) => type)).toEqual(['design.deleted']);
    expect(receiver.at(bySeverity.path)).toEqual([]);
    expect(receiver.bodies(ofOrganization.path).map(({ type }) => type)).toContain('environment.created');
  });

  it('signs with both secrets after a rotation', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    const rotated = await done(people.admin.post(`${webhook.base}/rotate`));
    expect(rotated.secret).not.toBe(webhook.secret);
    expect(Date.parse(rotated.previous_secret_expires_at as string)).toBeGreaterThan(Date.now());
    await webhooks.design('rotated');
    await until(() => receiver.at(webhook.path).length > 0);
    const got = receiver.at(webhook.path)[0]!;
    for (const { secret } of [webhook, rotated])
      expect(new Verifier(secret as string).verify(got.body, headersOf(got))).toMatchObject({ type: 'design.created' });
  });

  it('is tested, disabled as well, with the answer in the log', async () => {
    const webhook = await webhooks.register({ events: ['*'], enabled: false });
    receiver.answer = (response) => void response.writeHead(202, { 'x-answer': 'yes' }).end('thank you');
    const test = await done(people.admin.post(`${webhook.base}/test`));
    expect(test).toMatchObject({ kind: 'webhook.test', event_id: null });
    const [delivery] = await settled(webhook);
    expect(delivery).toMatchObject({
      id: test.id,
      status: 'delivered',
      request: { url: receiver.url + webhook.path, headers: { 'webhook-id': test.id } },
      attempts: [{ status: 202, error: null, response_body: 'thank you', response_headers: { 'x-answer': 'yes' } }],
    });
    const one = await done(people.admin.get(`${webhook.base}/deliveries/${test.id}`));
    expect(one).toEqual(delivery);
    const again = await people.admin.post(`${webhook.base}/deliveries/${test.id}/redeliver`);
    expect(again).toMatchObject({ status: 409, body: { code: 'WEBHOOK_DISABLED' } });
  });
});

describe('a delivery', () => {
  it('is tried again until it succeeds, in the order of its subject', async () => {
    const webhook = await webhooks.register({ events: ['design.*'] });
    let refusals = 3;
    receiver.answer = (response) => void response.writeHead(refusals-- > 0 ? 500 : 204).end();
    const { id } = await webhooks.design('retried');
    for (const name of ['second', 'third']) await done(people.editor.put('/api/pattern/yaml', { id, name }));
    await until(() => receiver.at(webhook.path).length >= 6);
    const sequences = receiver.bodies(webhook.path).map(({ data }) => Number(data.sequence));
    expect(sequences.slice(0, 4)).toEqual(Array(4).fill(sequences[0]));
    expect(sequences.slice(4)).toEqual([...sequences.slice(4)].sort((a, b) => a - b));
    const ids = receiver.at(webhook.path).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(3);
    const [first] = await settled(webhook);
    expect(first).toMatchObject({ status: 'delivered', failures: 3 });
    expect(first!.attempts).toHaveLength(4);
  }, 20_000);

  it('fails after ten attempts, and is sent again by recover and by redeliver', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    receiver.answer = (response) => void response.writeHead(503).end();
    const since = new Date(Date.now() - 1_000).toISOString();
    await webhooks.design('given up');
    await until(async () => (await webhooks.deliveries(webhook))[0]?.status === 'failed', 40_000);
    const [failed] = await webhooks.deliveries(webhook);
    expect(failed).toMatchObject({ failures: 10 });
    expect(failed.attempts).toHaveLength(10);
    receiver.answer = (response) => void response.writeHead(204).end();
    expect(await done(people.admin.post(`${webhook.base}/recover`, { since }))).toEqual({ recovered: 1 });
    await until(async () => (await webhooks.deliveries(webhook))[0].status === 'delivered');
    await done(people.admin.post(`${webhook.base}/deliveries/${failed.id}/redeliver`));
    await until(() => receiver.at(webhook.path).length === 12);
    const ids = receiver.at(webhook.path).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  }, 60_000);

  it.each([
    ['a redirect', (r: Json) => r.writeHead(302, { location: '/elsewhere' }).end(), /302: redirects are not followed/],
    ['silence', () => undefined, /did not answer in time/],
    ['a broken connection', (r: Json) => r.socket.destroy(), /the connection was closed/],
  ])('fails with %s', async (_, answer, reason) => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    receiver.answer = answer;
    await webhooks.design('refused');
    await until(async () => (await webhooks.deliveries(webhook))[0]?.attempts.length > 0);
    expect((await webhooks.deliveries(webhook))[0].attempts[0].error).toMatch(reason);
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  it('succeeds with an endless answer, of which the beginning is read', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    receiver.answer = (response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.writeHead(200).on('drain', write);
      write();
    };
    await webhooks.design('endless');
    const [delivery] = await settled(webhook);
    expect(delivery).toMatchObject({ status: 'delivered' });
    expect(delivery.attempts[0].response_body).toHaveLength(1_024);
  });

  it('waits as long as Retry-After says', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    let first = true;
    receiver.answer = (response) => {
      response.writeHead(first ? 429 : 204, { 'retry-after': '2' }).end();
      first = false;
    };
    await webhooks.design('limited');
    await settled(webhook);
    const [one, two] = receiver.at(webhook.path);
    expect(two!.at - one!.at).toBeGreaterThanOrEqual(1_990);
  }, 20_000);

  it('disables an endpoint that is gone', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    receiver.answer = (response) => void response.writeHead(410).end();
    await webhooks.design('gone');
    await until(async () => !(await done(people.admin.get(webhook.base))).enabled);
    expect(await done(people.admin.get(webhook.base))).toMatchObject({
      disabled_reason: 'gone',
      disabled_at: expect.any(String),
    });
    const { events } = await done(people.admin.get(`${scene.path}/activity?filter={"category":"webhook"}`));
    expect(events[0]).toMatchObject({ action: 'disabled', acted_upon: webhook.id, metadata: { reason: 'gone' } });
    const enabled = await done(people.admin.put(webhook.base, { enabled: true }));
    expect(enabled).toMatchObject({ enabled: true, disabled_at: null, disabled_reason: null });
  });

  it('tells that a user disabled an endpoint, and sends what waited once it is enabled', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    let fails = true;
    receiver.answer = (response) => void response.writeHead(fails ? 429 : 204, { 'retry-after': '2' }).end();
    await webhooks.design('waits');
    await until(() => receiver.at(webhook.path).length > 0);
    await done(people.admin.put(webhook.base, { enabled: false, description: 'off' }));
    const { events } = await done(people.admin.get(`${scene.path}/activity?acted_upon=${webhook.id}`));
    expect(events[0]).toMatchObject({
      action: 'disabled',
      severity: 'informational',
      metadata: { reason: 'requested' },
    });
    expect((await webhooks.deliveries(webhook)).map(({ status }) => status)).toEqual(['pending']);
    fails = false;
    await done(people.admin.put(webhook.base, { enabled: true }));
    await settled(webhook);
    const after = await done(people.admin.get(`${scene.path}/activity?acted_upon=${webhook.id}`));
    expect(after.events.map(({ action }: Json) => action)).toEqual(['updated', 'disabled', 'created']);
  }, 20_000);

  it('notifies of an endpoint that fails for long before it disables it', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    receiver.answer = (response) => void response.writeHead(500).end();
    await world.sql(`UPDATE webhook SET failing_since = now() - interval '2 days' WHERE id = $1`, [webhook.id]);
    const actions = async (): Promise<string[]> =>
      (await done(people.admin.get(`${scene.path}/activity?acted_upon=${webhook.id}`))).events.map(
        (e: Json) => e.action,
      );
    await webhooks.design('failing');
    await until(async () => (await actions()).includes('failing'));
    expect(await actions()).not.toContain('disabled');
    await world.sql(`UPDATE webhook SET failing_since = now() - interval '6 days' WHERE id = $1`, [webhook.id]);
    await until(async () => (await actions()).includes('disabled'));
    expect(await done(people.admin.get(webhook.base))).toMatchObject({ disabled_reason: 'failing' });
    expect((await webhooks.deliveries(webhook)).map(({ status }) => status)).toEqual(['failed']);
  }, 20_000);

  it('does not wait for endpoints that hang', async () => {
    // More than there are slots for deliveries: a call that takes long releases its slot.
    const { slots } = world.get(WebhookSettings);
    Object.assign(world.get(WebhookSettings), { timeoutMs: 15_000, slots: 4 });
    const hanging = await Promise.all(
      Array.from({ length: 10 }, () => webhooks.register({ events: ['design.created'] })),
    );
    const quick = await webhooks.register({ events: ['design.created'] });
    const slow = new Set(hanging.map(({ path }) => path));
    receiver.answer = (response, { path }) => void (slow.has(path) || response.writeHead(204).end());
    for (let n = 0; n < 5; n++) await webhooks.design(`beside hanging ones ${n}`);
    await until(() => receiver.at(quick.path).length === 5, 20_000);
    const delays = receiver.at(quick.path).map(({ at, body }) => at - Date.parse(JSON.parse(body).timestamp));
    expect(Math.max(...delays)).toBeLessThan(12_000);
    Object.assign(world.get(WebhookSettings), { timeoutMs: 500, slots });
  }, 60_000);

  it('catches up with events that no notification announced', async () => {
    const webhook = await webhooks.register({ events: ['design.created'] });
    const move = (by: number) =>
      world.sql(`UPDATE webhook_feed SET position = position + $2 WHERE organization_id = $1`, [
        world.organization,
        by,
      ]);
    await until(() =>
      world
        .get(WebhookFeedStore)
        .isBehind(world.organization)
        .then((behind) => !behind),
    );
    await move(1_000);
    for (let n = 0; n < 5; n++) await webhooks.design(`many ${n}`);
    await sleep(200);
    expect(receiver.at(webhook.path)).toEqual([]);
    await move(-1_000);
    await until(() => receiver.at(webhook.path).length >= 5, 15_000);
    await sleep(100);
    const sequences = receiver.bodies(webhook.path).map(({ data }) => data.sequence as string);
    expect(sequences).toHaveLength(5);
    expect(new Set(sequences).size).toBe(5);
  }, 30_000);
});

describe('a format', () => {
  const sent = async (fields: Json): Promise<{ headers: Json; body: Json; raw: string }> => {
    const webhook = await webhooks.register({ events: ['design.created'], ...fields });
    await webhooks.design('<!channel> & *friends* @all @here > http://example.com');
    await until(() => receiver.at(webhook.path).length > 0);
    const { headers, body } = receiver.at(webhook.path)[0]!;
    return { headers, body: JSON.parse(body), raw: body };
  };

  it('is CloudEvents 1.0, structured or binary', async () => {
    const structured = await sent({ format: 'cloudevents' });
    expect(structured.headers['content-type']).toBe('application/cloudevents+json');
    expect(structured.body).toMatchObject({
      specversion: '1.0',
      type: 'armature.design.created',
      subject: structured.body.data.acted_upon,
    });
    const binary = await sent({ format: 'cloudevents_binary' });
    expect(binary.headers).toMatchObject({
      'ce-specversion': '1.0',
      'ce-id': binary.body.id,
      'ce-type': 'armature.design.created',
      'ce-sequence': (binary.body.sequence as string).padStart(19, '0'),
    });
  });

  it('is a message for Slack, Teams and Mattermost whose names mention nobody', async () => {
    const slack = await sent({ format: 'slack' });
    expect(slack.body.text).toContain('&lt;!channel&gt; &amp; *friends*');
    expect(slack.raw).not.toMatch(/<!channel>|@here|\\n/);
    expect(slack.raw.match(/friends/g)).toHaveLength(1);
    for (const text of slack.body.attachments[0].blocks[0].elements) expect(text).toMatchObject({ verbatim: true });
    const teams = await sent({ format: 'teams' });
    expect(teams.body.attachments[0].content.body[0].text).toContain('\\*friends\\*');
    const mattermost = await sent({ format: 'mattermost' });
    expect(mattermost.raw).not.toMatch(/@all|@here|\\n/);
  });

  it('is an event for PagerDuty, with a key that the log does not show', async () => {
    const { body } = await sent({ format: 'pagerduty', routing_key: 'canary-of-pagerduty' });
    expect(body).toMatchObject({ routing_key: 'canary-of-pagerduty', event_action: 'resolve' });
    const readLog = async (): Promise<string> => {
      const rows = await world.sql(`SELECT request FROM webhook_delivery WHERE request::text LIKE '%event_action%'`);
      return JSON.stringify(rows);
    };
    await until(async () => (await readLog()).includes('event_action'));
    expect((await readLog()).includes('canary')).toBe(false);
  });
});
