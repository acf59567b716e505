import { randomUUID } from 'node:crypto';
import { newId } from '../src/core/database/base.entity.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import type { FinishedJob } from '../src/jobs/job.js';
import type { ControllerPayload } from '../src/kubernetes/controllers/controller-job.js';
import { ControllerCompletionService } from '../src/kubernetes/controllers/controller-completion.service.js';
import { followManifest } from './support/access-manifest.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import { type Answer, type Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { until } from './support/until.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

/** Objects may take 90 s until they are gone, then workloads 120 s until they are ready. */
const PATIENCE_MS = 240_000;
const KINDS =
  'deployments,services,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,customresourcedefinitions,namespaces';

requires('KUBEBUILDER_ASSETS', 'controllers on a cluster', () => {
  const namespace = `ops-${randomUUID().slice(0, 8)}`;
  let world: World;
  let cluster: Cluster;
  /** A connection whose credential may do just what the manifest for the operator grants, and one of an administrator. */
  let limited: string;
  let whole: string;

  const register = async (kubeconfig: string): Promise<string> =>
    (await done(world.admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig }))).connected[0]
      .connection_id as string;
  const change = (by: Person, status: string, id: string): Promise<Answer> =>
    by.graphql(`mutation { changeOperatorStatus(input: { targetStatus: ${status}, contextID: "${id}" }) }`);
  const adapt = (fields: string): Promise<Answer> =>
    world.admin.graphql(`mutation { changeAdapterStatus(input: { ${fields} }) }`);
  const codeOf = ({ body }: Answer): unknown => body.errors?.[0].extensions.code;
  const ask = async (query: string): Promise<Json> => {
    const { body } = await world.admin.graphql(`{ ${query} }`);
    expect(body.errors).toBeUndefined();
    return body.data;
  };
  const operator = async (id: string): Promise<string> =>
    (await ask(`getOperatorStatus(connectionID: "${id}") { status }`)).getOperatorStatus.status as string;
  /** What is on the cluster for a connection, anywhere. */
  const installed = async (id: string): Promise<string[]> => {
    const label = `armature.dev/connection=${id},armature.dev/controller`;
    const listed = await kubectl(cluster, 'get', KINDS, '-A', '-l', label, '-o', 'name');
    return listed.split('\n').filter(Boolean);
  };
  const eventsOf = async (id: string): Promise<string[]> => {
    const { events } = await done(world.admin.get(`/api/events?category=controller&acted_upon=${id}`));
    return events.map((event: Json) => `${event.metadata.name} ${event.action}`);
  };

  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start({ OPERATOR_NAMESPACE: namespace }), sharedCluster()]);
    whole = await register(cluster.kubeconfig);
    limited = await register(await followManifest(world.admin, cluster, whole, 'for=operator'));
  }, 120_000);
  afterAll(async () => {
    await kubectl(cluster, 'delete', 'namespace', namespace, '--wait=false', '--ignore-not-found');
    await world.stop();
  });

  it('are deployed with the rights of their manifest, seen by what runs, and removed without a rest', async () => {
    const messages: Json[][] = [];
    const socket = world.admin.socket();
    const query = `subscription { subscribePlatformControllersStatus(connectionIDs: ["${limited}"]) { connectionID controller status version } }`;
    socket.subscribe<{ subscribePlatformControllersStatus: Json[] }>(
      { query },
      {
        next: ({ data }) => void messages.push(data?.subscribePlatformControllersStatus ?? []),
        error: () => undefined,
        complete: () => undefined,
      },
    );
    await until(() => messages.length > 0, PATIENCE_MS);
    expect(messages[0]?.map(({ controller, status }) => [controller, status])).toEqual([
      ['BROKER', 'NOTDEPLOYED'],
      ['OPERATOR', 'NOTDEPLOYED'],
      ['MESHSYNC', 'NOTDEPLOYED'],
    ]);

    expect((await change(world.admin, 'ENABLED', limited)).body).toEqual({
      data: { changeOperatorStatus: 'PROCESSING' },
    });
    // The status is asked for all the while: whatever was read before the event is not what it says after it.
    await until(async () => Boolean(await operator(limited)) && (await eventsOf(limited)).length > 0, PATIENCE_MS);
    expect(await eventsOf(limited)).toEqual(['operator deployed']);
    const data = await ask(`
      getOperatorStatus(connectionID: "${limited}") { connectionID controller status version }
      getMeshsyncStatus(connectionID: "${limited}") { name version status error { code } connectionID }
      getNatsStatus(connectionID: "${limited}") { name version status error { code } }`);
    expect(data).toEqual({
      getOperatorStatus: {
        connectionID: limited,
        controller: 'OPERATOR',
        status: 'DEPLOYED',
        version: 'stable-latest',
      },
      getMeshsyncStatus: {
        name: 'meshery-meshsync',
        version: 'stable-latest',
        status: 'ENABLED',
        error: null,
        connectionID: limited,
      },
      getNatsStatus: { name: 'meshery-broker', version: '2.11-alpine', status: 'ENABLED', error: null },
    });
    await until(
      () => messages.flat().some((one) => one.controller === 'MESHSYNC' && one.status === 'RUNNING'),
      PATIENCE_MS,
    );
    expect(await installed(limited)).toHaveLength(14);

    const used = await world.admin.delete(`/api/integrations/connections/${limited}`);
    expect(used).toMatchObject({ status: 409, body: { code: 'IN_USE', controllers: ['operator'] } });
    expect(codeOf(await change(world.admin, 'ENABLED', whole))).toBeUndefined();
    await until(async () => (await eventsOf(whole)).length > 0, PATIENCE_MS);
    expect(await eventsOf(whole)).toEqual(['operator failure']);

    await change(world.admin, 'DISABLED', limited);
    await until(async () => (await operator(limited)) === 'UNDEPLOYED', PATIENCE_MS);
    await until(async () => (await eventsOf(limited)).length > 1, PATIENCE_MS);
    expect(await eventsOf(limited)).toEqual(['operator undeployed', 'operator deployed']);
    expect(await installed(limited)).toEqual([]);
    await until(() => messages.flat().some((one) => one.status === 'UNDEPLOYED'), PATIENCE_MS);
    await socket.dispose();
  }, 900_000);

  it('end as what was wanted last, however often and by however many it is asked', async () => {
    const wanted = ['ENABLED', 'DISABLED', 'ENABLED', 'ENABLED', 'DISABLED'];
    await Promise.all(wanted.map((status) => change(world.admin, status, limited)));
    await change(world.admin, 'DISABLED', limited);
    await until(async () => {
      const rows = await world.sql<{ pending: boolean }>('SELECT pending FROM controller_installation');
      const jobs = await world.sql(`SELECT FROM job WHERE queue = 'controller' AND finished_at IS NULL`);
      return rows.every(({ pending }) => !pending) && jobs.length === 0;
    }, PATIENCE_MS);
    expect(await installed(limited)).toEqual([]);
  }, 300_000);

  it('are reported as the last request left them, once, whichever job ends first', async () => {
    const id = newId();
    await world.sql(
      `INSERT INTO controller_installation (id, organization_id, connection_id, name, target, pending, requested_by, request)
       VALUES ($1, $2, $3, 'adapter-consul', 'enabled', true, $4, 3)`,
      [id, world.organization, whole, world.admin.id],
    );
    const completion = world.get(ControllerCompletionService);
    const complete = (request: number): Promise<void> =>
      completion.complete({ id, request, target: 'enabled' }, null, { assertLeased: () => Promise.resolve() });
    const pending = async (): Promise<unknown> =>
      (await world.sql('SELECT pending FROM controller_installation WHERE id = $1', [id]))[0]?.['pending'];
    const told = async (): Promise<string[]> => (await eventsOf(whole)).filter((one) => one.includes('consul'));
    // The first request wanted the same as the third, and the second removes what the first one deployed.
    await complete(1);
    expect([await pending(), await told()]).toEqual([true, []]);
    await complete(3);
    await complete(3);
    expect([await pending(), await told()]).toEqual([false, ['adapter-consul deployed']]);

    const record = (request: number, name: string): Promise<boolean> =>
      completion.recordObjects({ id, request }, [{ apiVersion: 'v1', kind: 'Service', name }], {
        assertLeased: () => Promise.resolve(),
      });
    expect([await record(3, 'last'), await record(2, 'earlier')]).toEqual([true, false]);
    const [row] = await world.sql<{ objects: Json[] }>('SELECT objects FROM controller_installation WHERE id = $1', [
      id,
    ]);
    expect(row?.objects).toEqual([expect.objectContaining({ name: 'last' })]);

    // A job of the version before has no number.
    await world.sql('UPDATE controller_installation SET pending = true WHERE id = $1', [id]);
    const ended = { status: 'cancelled', payload: { installation: id } } as FinishedJob<ControllerPayload>;
    await world.get(UnitOfWork).run(() => completion.handleJobEnd(ended));
    expect(await pending()).toBe(false);
    expect(await told()).toEqual(['adapter-consul failure', 'adapter-consul deployed']);
    await world.sql('DELETE FROM controller_installation WHERE id = $1', [id]);
  });

  it('are adapters as well, with a namespace that goes with the last of them', async () => {
    await kubectl(cluster, 'delete', 'namespace', namespace, '--ignore-not-found');
    const at = `contextID: "${whole}"`;
    expect((await adapt(`targetStatus: ENABLED, targetPort: "10000", adapter: "ISTIO", ${at}`)).body).toEqual({
      data: { changeAdapterStatus: 'PROCESSING' },
    });
    await until(async () => (await eventsOf(whole)).includes('adapter-istio deployed'), PATIENCE_MS);
    const image = await kubectl(
      cluster,
      '-n',
      namespace,
      'get',
      'deployment',
      'meshery-istio',
      '-o',
      'jsonpath={..image}',
    );
    expect(image).toBe('docker.io/meshery/meshery-istio:stable-latest');
    await adapt(`targetStatus: DISABLED, targetPort: "", adapter: "meshery-istio", ${at}`);
    await until(async () => (await eventsOf(whole)).includes('adapter-istio undeployed'), PATIENCE_MS);
    expect(await installed(whole)).toEqual([]);
    expect(await kubectl(cluster, 'get', 'namespace', namespace, '--ignore-not-found')).toBe('');

    expect(codeOf(await adapt(`targetStatus: ENABLED, targetPort: "1", adapter: "nothing", ${at}`))).toBe(
      'VALIDATION_FAILED',
    );
    expect(codeOf(await adapt(`targetStatus: ENABLED, targetPort: "70000", adapter: "istio", ${at}`))).toBe(
      'VALIDATION_FAILED',
    );
    const several = await adapt('targetStatus: ENABLED, targetPort: "", adapter: "istio"');
    expect([codeOf(several), several.body.errors[0].message]).toEqual([
      'VALIDATION_FAILED',
      expect.stringContaining(limited),
    ]);
  }, 600_000);

  it('are changed by admins of the organization only, and unknown to others', async () => {
    const outsider = await world.outsider();
    expect(codeOf(await change(outsider, 'ENABLED', limited))).toBe('NOT_FOUND');
    expect(codeOf(await change(await world.person('member'), 'ENABLED', limited))).toBe('NOT_FOUND');
    const { body } = await world.admin.post('/api/identity/tokens', { name: 'read', scopes: ['read'] });
    const reader = new Person(world.baseUrl, body.token as string);
    expect(codeOf(await change(reader, 'ENABLED', limited))).toBe('SCOPE_MISSING');
  });
});
