import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Actor } from '../src/core/access/actor.js';
import { Conflict } from '../src/core/errors/app-error.js';
import type { Job } from '../src/jobs/job.js';
import { JobsService } from '../src/jobs/jobs.service.js';
import { JobActorsService } from '../src/organizations/users/job-actors.service.js';
import { until } from './jobs-replica.js';
import type { Answer, Json, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;
let jobs: JobsService;
let requester: Person;

beforeAll(async () => {
  world = await World.start({ OUTBOUND_ALLOW: '127.0.0.1/32' });
  jobs = world.get(JobsService);
  requester = await world.person('member');
  jobs.registerHandler('work', {
    concurrency: 5,
    handle: async ({ payload }, { reportProgress: progress, signal }) => {
      progress({ done: 3, of: 5 });
      const { behaviour } = payload as { behaviour: string };
      if (behaviour === 'fail') throw new Conflict('IN_USE', 'it is in use', { remedy: 'Wait.' });
      if (behaviour === 'succeed') return { made: 5 };
      await once(signal, 'abort');
      throw signal.reason;
    },
  });
  const requesters = world.get(JobActorsService);
  jobs.registerHandler('errand', {
    concurrency: 1,
    retryDelayMs: () => null,
    handle: async (job) => {
      const { userId, name, installationAdmin } = await requesters.resolve(job);
      return { userId, name, installationAdmin };
    },
  });
});
afterAll(() => world.stop());

const ask = (person: Person, behaviour: string, organizationId: string | null = world.organization): Promise<Job> =>
  jobs.enqueue(Actor.user({ id: person.id, email: person.email, installationAdmin: false }), {
    queue: 'work',
    payload: { behaviour },
    organizationId,
  });
const read = (person: Person, { id }: Job): Promise<Answer> => person.get(`/api/operations/${id}`);
const cancel = (person: Person, { id }: Job): Promise<Answer> => person.post(`/api/operations/${id}/cancel`);

/** What a refusal says besides the ids in it. */
const withoutIds = ({ status, body }: Answer, id: string): Json => [
  status,
  JSON.stringify({ ...body, request_id: null }).replaceAll(id, '<id>'),
];

describe('an operation', () => {
  it('reports how work ended', async () => {
    const good = await ask(requester, 'succeed');
    await jobs.waitUntilFinished(good.id, { timeoutMs: 20_000 });
    const { status, body, headers } = await read(requester, good);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: good.id,
      kind: 'work',
      status: 'succeeded',
      progress: { done: 3, of: 5 },
      result: { made: 5 },
      error: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
    });
    expect(headers.get('etag')).toBeTruthy();

    const bad = await ask(requester, 'fail');
    await jobs.waitUntilFinished(bad.id, { timeoutMs: 20_000 });
    expect((await read(requester, bad)).body).toMatchObject({
      status: 'failed',
      result: null,
      error: { code: 'IN_USE', status: 409, detail: 'it is in use', remedy: 'Wait.', request_id: bad.id },
    });
  });

  it('is cancelled by who asked for it, once', async () => {
    const job = await ask(requester, 'endless');
    await until(async () => (await read(requester, job)).body.progress?.done === 3);
    expect(await cancel(requester, job)).toMatchObject({ status: 200, body: { id: job.id } });
    await jobs.waitUntilFinished(job.id, { timeoutMs: 20_000 });
    expect((await read(requester, job)).body).toMatchObject({ status: 'cancelled', error: null });
    expect(await cancel(requester, job)).toMatchObject({ status: 200, body: { status: 'cancelled' } });

    const done = await ask(requester, 'succeed');
    await jobs.waitUntilFinished(done.id, { timeoutMs: 20_000 });
    expect(await cancel(requester, done)).toMatchObject({ status: 409, body: { code: 'OPERATION_FINISHED' } });
  });

  it('is seen and cancelled by admins of its organization', async () => {
    const job = await ask(requester, 'endless');
    const organizationAdmin = await world.person('admin');
    expect((await read(organizationAdmin, job)).status).toBe(200);
    expect((await cancel(organizationAdmin, job)).status).toBe(200);
  });

  it('does not exist for anyone else', async () => {
    const job = await ask(requester, 'endless');
    const none = { ...job, id: randomUUID() };
    const outsider = await world.outsider();
    const colleague = await world.person('member');
    for (const person of [outsider, colleague])
      for (const call of [read, cancel]) {
        const refused = await call(person, job);
        expect(refused.status).toBe(404);
        expect(withoutIds(refused, job.id)).toEqual(withoutIds(await call(person, none), none.id));
      }
    expect((await read(world.stranger, job)).status).toBe(401);
    expect((await requester.get('/api/operations/nonsense')).status).toBe(400);
    expect((await read(requester, job)).body.status).not.toBe('cancelled');
    await cancel(requester, job);
  });

  it('is gone for who asked for it once they have left its organization', async () => {
    const leaver = await world.person('member');
    const job = await ask(leaver, 'succeed');
    expect((await read(leaver, job)).status).toBe(200);
    await world.admin.delete(`/api/identity/orgs/${world.organization}/users/${leaver.id}`);
    expect((await read(leaver, job)).status).not.toBe(200);
  });

  it('of an import is gone for who asked for it once they may no longer read its workspace', async () => {
    const editor = await world.person('member');
    const { admin, organization } = world;
    const workspace = (await admin.post('/api/workspaces', { name: 'imports', organization_id: organization })).body.id;
    const membership = `/api/workspaces/${workspace}/members/${editor.id}`;
    await admin.put(membership, { role: 'editor' });
    const file = Buffer.from('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n').toString('base64');
    const asked = await editor.post('/api/pattern/import?async=true', {
      file,
      file_name: 'a.yaml',
      workspace_id: workspace,
    });
    expect(asked.status).toBe(202);
    const job = asked.body as Job;
    await jobs.waitUntilFinished(job.id, { timeoutMs: 20_000 });
    const done = await read(editor, job);
    expect(done).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    const { body: feed } = await editor.get(`/api/events?orgID=${organization}&acted_upon=${done.body.result.id}`);
    expect(feed.events).toMatchObject([{ category: 'design', action: 'imported', operation_id: job.id }]);

    await admin.put(membership, { role: 'viewer' });
    expect((await read(editor, job)).status).toBe(200);
    expect((await cancel(editor, job)).status).toBe(403);
    await admin.delete(membership);
    const none = { ...job, id: randomUUID() };
    for (const call of [read, cancel]) {
      const refused = await call(editor, job);
      expect(refused.status).toBe(404);
      expect(withoutIds(refused, job.id)).toEqual(withoutIds(await call(editor, none), none.id));
    }
    expect((await read(admin, job)).status).toBe(200);
  });

  it('of a registration from a URL is accepted at once, and reads the URL afterwards', async () => {
    const held: ServerResponse[] = [];
    const slow = createServer((_, response) => void held.push(response)).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/model.json`;
    const asked = await world.admin.post('/api/meshmodels/register?async=true', { url });
    expect(asked).toMatchObject({ status: 202, body: { kind: 'registry-register' } });
    await until(() => held.length === 1);
    const name = `slow-${randomUUID()}`;
    held[0]?.end(JSON.stringify({ schemaVersion: 'models.meshery.io/v1beta1', name, model: { version: '1.0.0' } }));
    const job = asked.body as Job;
    await jobs.waitUntilFinished(job.id, { timeoutMs: 20_000 });
    const { body } = await read(world.admin, job);
    expect(body).toMatchObject({ status: 'succeeded', result: { models: [{ name, outcome: 'registered' }] } });
    const { body: feed } = await world.admin.get(
      `/api/events?category=registry&acted_upon=${body.result.models[0].id}`,
    );
    expect(feed.events).toMatchObject([{ action: 'registered', operation_id: job.id }]);
    slow.close();
    expect((await world.admin.post('/api/meshmodels/register?async=true', { url: 'nowhere' })).status).toBe(400);
  });

  it('of a registration is gone for who asked for it once they no longer administer the installation', async () => {
    const former = await world.person('member');
    await world.admin.put(`/api/identity/users/${former.id}`, { installation_admin: true });
    const asked = await former.post('/api/meshmodels/register?async=true', {
      file: Buffer.from('nothing').toString('base64'),
      file_name: 'a.json',
    });
    expect(asked.status).toBe(202);
    const job = asked.body as Job;
    expect((await read(former, job)).status).toBe(200);
    await world.admin.put(`/api/identity/users/${former.id}`, { installation_admin: false });
    expect((await read(former, job)).status).toBe(404);
    expect((await cancel(former, job)).status).toBe(404);
    expect((await read(world.admin, job)).status).toBe(200);
  });

  it('of no organization is seen by who asked for it and by installation administrators', async () => {
    const job = await ask(requester, 'succeed', null);
    const organizationAdmin = await world.person('admin');
    expect((await read(requester, job)).status).toBe(200);
    expect((await read(world.admin, job)).status).toBe(200);
    expect((await read(organizationAdmin, job)).status).toBe(404);
  });
});

describe('a job that acts as the user who asked for it', () => {
  const errand = async ({ id, email }: Person): Promise<Answer> => {
    const actor = Actor.user({ id, email, installationAdmin: true });
    const job = await jobs.enqueue(actor, { queue: 'errand', payload: {}, organizationId: world.organization });
    await jobs.waitUntilFinished(job.id, { timeoutMs: 20_000 });
    return read(world.admin, job);
  };

  it('has the rights that they have by now', async () => {
    const { body } = await errand(requester);
    expect(body).toMatchObject({
      status: 'succeeded',
      result: { userId: requester.id, name: requester.email, installationAdmin: false },
    });
  });

  it('fails when their account is deactivated', async () => {
    const gone = await world.person('member');
    await world.admin.put(`/api/identity/users/${gone.id}`, { deactivated: true });
    expect((await errand(gone)).body).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND', status: 404 } });
  });
});
