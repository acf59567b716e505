import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { WatcherTools } from '../src/kubernetes/resources/watch/cluster-watcher.js';
import { ClusterWatchesStore } from '../src/kubernetes/resources/watch/cluster-watches.store.js';
import { ClusterWatchesService } from '../src/kubernetes/resources/watch/cluster-watches.service.js';
import type { Json } from './support/person.js';
import { StubCluster } from './support/stub-cluster.js';
import { until } from './support/until.js';
import { done, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const RESOURCES = '/api/system/meshsync/resources';
const PATIENCE = 30_000;
const MB = 1024 * 1024;
/** So long each hostility is let go on; tries are 0.1 s apart at first and 2 s at most. */
const WHILE_MS = 2_500;
const TIMING = { flushMs: 50, retryMs: 100, maxRetryMs: 2_000, forbiddenRetryMs: 1_000 };
/** Of tries at 0.1, 0.2, 0.4 … seconds, a quarter less each, on any machine. */
const MOST_TRIES = 12;

describe('an API server that is hostile to its watchers', () => {
  let world: World;
  let hostile: StubCluster;
  let other: StubCluster;
  let hostileId: string;
  let otherId: string;
  let made = 0;

  const register = async ({ kubeconfig }: { kubeconfig: string }): Promise<string> => {
    const path = `/api/system/kubernetes?orgID=${world.organization}`;
    const { connected } = await done(world.admin.post(path, { kubeconfig }));
    return connected[0].connection_id as string;
  };
  const rotate = (id: string, kubeconfig: string): Promise<Json> =>
    done(world.admin.put(`/api/integrations/connections/${id}`, { credential_secret: { kubeconfig } }));
  const names = async (id: string): Promise<string[]> =>
    (await done(world.admin.get(`${RESOURCES}?kind=ConfigMap&pagesize=500&connection_id=${id}`))).resources.map(
      ({ name }: Json) => name,
    );
  const watchOf = async (id: string): Promise<Json> =>
    (await done(world.admin.get(`${RESOURCES}/summary?connection_id=${id}`))).connections[0];
  const sees = (id: string, name: string): Promise<void> =>
    until(async () => (await names(id)).includes(name), PATIENCE);

  /** The other cluster is followed, and the server answers, whatever the hostile one does. */
  const othersAreServed = async (): Promise<void> => {
    const name = `other-${++made}`;
    other.put(name);
    await sees(otherId, name);
    expect((await world.stranger.get('/healthz/live')).status).toBe(200);
  };
  /** Lets it behave so for a while; afterwards it is as an API server again, and is followed again. */
  const endure = async (hooks: StubCluster['hooks']): Promise<void> => {
    hostile.behave(hooks);
    await wait(WHILE_MS);
    await othersAreServed();
  };
  const recovers = async (): Promise<void> => {
    const name = `after-${++made}`;
    hostile.behave({});
    hostile.put(name);
    await sees(hostileId, name);
    await until(async () => (await watchOf(hostileId)).status === 'watching', PATIENCE);
  };
  const line = (response: ServerResponse, event: object): boolean => response.write(`${JSON.stringify(event)}\n`);

  beforeAll(async () => {
    world = await World.start({ CLUSTER_WATCH: 'on', CLUSTER_INSECURE_TLS: 'false', DATABASE_POOL: '10' });
    const { tools } = world.get(ClusterWatchesService) as unknown as { tools: WatcherTools };
    tools.timing = TIMING;
    [hostile, other] = await Promise.all([StubCluster.start(), StubCluster.start()]);
    hostile.put('first');
    [hostileId, otherId] = [await register(hostile), await register(other)];
    await sees(hostileId, 'first');
    await othersAreServed();
  }, 60_000);
  afterAll(async () => {
    await world.stop();
    await Promise.all([hostile.stop(), other.stop()]);
  });

  it('is listed again ever more slowly when it forgets every version at once', async () => {
    const gone = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } };
    await endure({ watch: (response) => void (line(response, gone), response.end()) });
    expect(hostile.lists).toBeGreaterThan(1);
    expect(hostile.lists).toBeLessThan(MOST_TRIES);
    await recovers();
  }, 60_000);

  it.each([
    ['garbage', 'no JSON at all\n'],
    ['events that are none', '{"type":"ADDED","object":7}\n[]\n'],
    ['objects without a name', '{"type":"ADDED","object":{"metadata":{}}}\n'],
  ])(
    'is asked ever more slowly when it sends %s',
    async (_, text) => {
      await endure({ watch: (response) => void response.end(text) });
      expect(hostile.watchedFrom.length).toBeLessThan(MOST_TRIES);
      await recovers();
    },
    60_000,
  );

  it('is asked ever more slowly when it cuts each watch, and loses no change', async () => {
    await endure({ watch: (response) => void setTimeout(() => response.destroy(), 20) });
    expect(hostile.watchedFrom.length).toBeGreaterThan(0);
    expect(hostile.watchedFrom.length).toBeLessThan(MOST_TRIES);
    await recovers();
  }, 60_000);

  it('is not followed back by bookmarks of earlier versions', async () => {
    const bookmark = (version: string) => ({ type: 'BOOKMARK', object: { metadata: { resourceVersion: version } } });
    await endure({
      watch: (response) => {
        line(response, bookmark('900000'));
        line(response, bookmark('5'));
        response.end();
      },
    });
    expect(hostile.watchedFrom).not.toContain('5');
    hostile.behave({ watch: (response) => void response.end('{"type":"ERROR","object":{"code":410}}\n') });
    await until(() => hostile.lists > 0, PATIENCE);
    await recovers();
  }, 60_000);

  /** Sends as fast as it is read, until the reader is gone. @returns how much was taken */
  const pour = (response: ServerResponse, piece: string, taken: { bytes: number }): void => {
    const run = async (): Promise<void> => {
      while (!response.destroyed && taken.bytes < 500 * MB) {
        taken.bytes += piece.length;
        if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
        else await new Promise(setImmediate);
      }
    };
    void run().catch(() => undefined);
  };

  it('is not read to the end of a line without one, nor of a list of 60 MB', async () => {
    const taken = { bytes: 0 };
    await endure({ watch: (response) => pour(response, 'x'.repeat(MB), taken) });
    expect(taken.bytes).toBeLessThan(60 * MB);
    await until(async () => (await watchOf(hostileId)).missing[0]?.reason === 'too_large', PATIENCE);
    await recovers();
    let lists = 0;
    const listed = { bytes: 0 };
    hostile.behave({
      watch: (response) => void response.end('{"type":"ERROR","object":{"code":410}}\n'),
      list: (response) => {
        lists++;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"metadata":{"resourceVersion":"1"},"items":[');
        pour(response, `"${'x'.repeat(MB)}",`, listed);
      },
    });
    await until(async () => lists > 0 && (await watchOf(hostileId)).missing[0]?.reason === 'too_large', PATIENCE);
    await othersAreServed();
    // What is on its way in buffers is sent, but not read.
    expect(listed.bytes).toBeLessThan(lists * 40 * MB);
    await recovers();
  }, 90_000);

  it('cannot keep the server busy with events without end', async () => {
    let sent = 0;
    const event = JSON.stringify({ type: 'MODIFIED', object: hostile.make('flood', { text: 'x'.repeat(1_000) }) });
    await endure({
      watch: (response) => {
        const run = async (): Promise<void> => {
          while (!response.destroyed) {
            sent += 50;
            if (!response.write(`${event}\n`.repeat(50)))
              await Promise.race([once(response, 'drain'), once(response, 'close')]);
            else await new Promise(setImmediate);
          }
        };
        void run().catch(() => undefined);
      },
    });
    // 2,000 a second and a second's more, and what fits into the buffers between the two.
    expect(sent).toBeLessThan(60_000);
    await recovers();
  }, 60_000);

  const NONE = { watch: (response: ServerResponse) => void response.end('{"type":"ERROR","object":{"code":410}}\n') };
  const FAILS = { ...NONE, list: (response: ServerResponse) => void response.writeHead(500).end('{}') };
  const FLOODS = {
    ...NONE,
    list: (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"metadata":{"resourceVersion":"1"},"items":[');
      pour(response, `"${'x'.repeat(MB)}",`, { bytes: 0 });
    },
  };

  it.each([
    ['failing', FAILS],
    ['too_large', FLOODS],
  ])(
    'shows nothing that only an earlier credential was shown, of a kind that is %s with the next one',
    async (reason, hooks) => {
      const before = await names(hostileId);
      expect(before).toContain('first');
      hostile.behave(hooks);
      await until(async () => (await watchOf(hostileId)).missing[0]?.reason === reason, PATIENCE);
      expect(await names(hostileId)).toEqual(before);
      await rotate(hostileId, hostile.kubeconfig);
      await until(async () => (await names(hostileId)).length === 0, PATIENCE);
      await until(async () => (await watchOf(hostileId)).missing[0]?.reason === reason, PATIENCE);
      await recovers();
      await sees(hostileId, 'first');
    },
    60_000,
  );

  it('shows nothing that an earlier credential was shown when the next one is refused, and the same when it is accepted', async () => {
    const idOf = async (): Promise<string> =>
      (await done(world.admin.get(`${RESOURCES}?search=first&connection_id=${hostileId}`))).resources[0]?.id as string;
    const id = await idOf();
    await rotate(hostileId, hostile.kubeconfig);
    await recovers();
    expect(await idOf()).toBe(id);
    hostile.behave({ refuse: (token) => token === 'weak' });
    await rotate(hostileId, hostile.kubeconfigOf('weak'));
    await until(async () => (await names(hostileId)).length === 0, PATIENCE);
    expect(await watchOf(hostileId)).toMatchObject({ status: 'failing' });
    await recovers();
    await sees(hostileId, 'first');
  }, 60_000);

  it('is followed for the others of a group of which one cannot be decrypted, or is refused', async () => {
    const shared = await StubCluster.start();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push(await register({ kubeconfig: shared.kubeconfigOf('same', name) }));
    const [unreadable = '', refused = '', sound = ''] = ids;
    const put = async (...to: string[]): Promise<void> => {
      const name = `shared-${++made}`;
      shared.put(name);
      for (const id of to) await sees(id, name);
    };
    await put(...ids);
    await until(() => shared.followers === 1, PATIENCE);

    // Nothing is written to a connection by the watch of its former credential, however long it takes to notice.
    const changed = jest.spyOn(world.get(ClusterWatchesStore), 'findChangedAccess').mockResolvedValue([]);
    await rotate(refused, shared.kubeconfigOf('another', 'b'));
    await put(sound, unreadable);
    expect(await names(refused)).not.toContain(`shared-${made}`);
    changed.mockRestore();
    await sees(refused, `shared-${made}`);

    shared.behave({ refuse: (token) => token === 'weak' });
    await rotate(refused, shared.kubeconfigOf('weak', 'b'));
    await world.sql(`UPDATE connection SET status = 'disconnected', revision = revision + 1 WHERE id = $1`, [refused]);
    await until(async () => (await watchOf(refused)).status === 'failing', PATIENCE);
    await put(sound);
    const { status } = await done(world.admin.get(`/api/integrations/connections/${refused}`));
    expect(status).toBe('disconnected');
    expect(await names(refused)).toEqual([]);

    await world.sql(
      `UPDATE credential SET secret = '\\x00' FROM connection WHERE credential.id = credential_id AND connection.id = $1`,
      [unreadable],
    );
    await world.sql(`UPDATE cluster_watch SET resync = 'list'`);
    await wait(3_000);
    await put(sound, unreadable);
    for (const id of ids) await done(world.admin.delete(`/api/integrations/connections/${id}`));
    await shared.stop();
  }, 90_000);

  it('has no value of a Secret shown that it repeats when it refuses requests for now', async () => {
    const scene = await WorkspaceScene.make(world, await peopleOf(world));
    const environment = await scene.environment();
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${hostileId}`));
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { key: 'canary-word' } };
    const file = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [map, secret] });
    const { id } = await done(world.admin.upload('/api/pattern/import', 'app.json', file, { workspace_id: scene.id }));
    hostile.behave({
      fail: ({ pathname }) =>
        pathname.startsWith('/api/v1/namespaces/stub/') ? { code: 429, message: 'refused "canary-word"' } : undefined,
    });
    const fields = { id, environment_id: environment.id, namespace: 'stub' };
    const plan = await world.admin.post('/api/pattern/deploy/plan', fields);
    expect([plan.status, plan.body.detail]).toEqual([502, 'refused "(hidden)"']);
    const requested = await done(
      world.admin.post('/api/pattern/deploy?async=true', { ...fields, request_approval: true }),
    );
    const { events } = await done(world.admin.get(`/api/events?acted_upon=${requested.id}`));
    expect(events.length).toBeGreaterThan(0);
    const stored = await world.sql('SELECT options FROM deployment WHERE id = $1', [requested.id]);
    expect(stored).toMatchObject([{ options: { plan_error: { detail: 'refused "(hidden)"' } } }]);
    for (const said of [plan.body, requested, events, stored])
      expect(JSON.stringify(said)).not.toContain('canary-word');
    await recovers();
  });

  it('is forgotten when another cluster answers at its address', async () => {
    expect(await names(hostileId)).toContain('first');
    hostile.replace();
    hostile.put('of-the-new-one');
    await until(async () => JSON.stringify(await names(hostileId)) === '["of-the-new-one"]', PATIENCE);
    const [kept] = await world.sql<{ cluster_uid: string }>(
      'SELECT cluster_uid FROM cluster_watch WHERE connection_id = $1',
      [hostileId],
    );
    expect(kept?.cluster_uid).toBe(hostile.uid);
    await othersAreServed();
  }, 60_000);

  it('stays known and marked while it cannot be reached', async () => {
    const away = hostile.stop();
    hostile.cut();
    await away;
    await until(async () => Boolean((await watchOf(hostileId)).stale_since), PATIENCE);
    const { resources } = await done(world.admin.get(`${RESOURCES}?kind=ConfigMap&connection_id=${hostileId}`));
    expect(resources.map(({ name, stale_since }: Json) => [name, typeof stale_since])).toEqual([
      ['of-the-new-one', 'string'],
    ]);
    expect(await watchOf(hostileId)).toMatchObject({
      status: 'failing',
      error: expect.stringContaining('cannot be reached'),
    });
    await othersAreServed();
  }, 60_000);
});
