import { readFileSync } from 'node:fs';
import { type Cluster, startCluster } from '../../../test/support/cluster.js';
import {
  clusterClient,
  configMap,
  DeploymentScene,
  schemaValidator,
  MemoryJournal,
  outcomes,
} from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { Planner } from '../plan/planner.js';
import { Applier } from './applier.js';
import { Undeployer } from './undeployer.js';

requires('KUBEBUILDER_ASSETS', 'A deployment to a cluster that fails', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;
  const objects = [configMap('a'), configMap('b'), configMap('c')];
  /** Objects of different kinds, which are applied one after another. */
  const successive = [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { a: '1' } },
    configMap('b'),
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'c' }, spec: { ports: [{ port: 80 }] } },
  ];

  const signal = (name: NodeJS.Signals) => {
    const pid = cluster.pids['kube-apiserver'];
    if (!pid) return;
    process.kill(pid, name);
    // Its threads stop one after another; a request that comes in meanwhile is still answered.
    while (name === 'SIGSTOP' && !isStopped(pid));
  };

  beforeAll(async () => {
    cluster = await startCluster({ bare: true });
    scene = await DeploymentScene.open(cluster.kubeconfig, { answerTimeoutMs: 1_000, connectTimeoutMs: 1_000 });
  }, 60_000);

  afterAll(async () => {
    await scene?.close();
    await cluster?.stop();
  });

  it('changes nothing without permissions, and reports what is missing', async () => {
    const nobody = clusterClient(cluster.kubeconfigNobody);
    const resources = objects.map((object) => ({ component: object.metadata.name, object }));
    const plan = await new Planner(nobody, schemaValidator).plan(resources, scene.owner, {
      namespace: scene.namespace,
      previous: [],
    });
    const result = await new Applier(nobody, new MemoryJournal()).apply(plan, { atomic: false });
    expect(outcomes(result)).toEqual(['a', 'b', 'c'].map((name) => `ConfigMap/${name}: failed FORBIDDEN`));
    expect(result.resources[0]?.error?.detail).toContain('User "nobody" cannot');
    const undeployer = new Undeployer(nobody, new MemoryJournal());
    await expect(undeployer.undeploy(scene.owner)).rejects.toMatchObject({ kind: 'forbidden' });
    const previous = [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: scene.namespace, name: 'a' }];
    expect(outcomes(await undeployer.undeploy(scene.owner, { previous }))).toEqual(['ConfigMap/a: failed FORBIDDEN']);
    await nobody.close();
  });

  it('is rolled back when the cluster hangs for a while', async () => {
    const plan = await scene.plan(successive);
    const result = await scene.apply(plan, {
      onProgress: ({ name, status }) => {
        if (name !== 'b' || status !== 'applied') return;
        signal('SIGSTOP');
        setTimeout(() => signal('SIGCONT'), 4_000);
      },
    });
    expect(result).toMatchObject({ status: 'rolled_back', failure: { status: 504 } });
    expect(outcomes(result)).toEqual([
      'Secret/a: rolled_back',
      'ConfigMap/b: rolled_back',
      'Service/c: failed TIMEOUT',
    ]);
    for (const { kind, metadata } of successive) expect(await scene.live('v1', kind, metadata.name)).toBeUndefined();
  }, 60_000);

  it('reports what could not be rolled back when the cluster is unreachable', async () => {
    const plan = await scene.plan(successive);
    const result = await scene.apply(plan, {
      undoTimeoutMs: 2_000,
      onProgress: ({ name, status, error }) =>
        name === 'b' && status === 'applied' && !error ? signal('SIGKILL') : undefined,
    });
    expect(result).toMatchObject({ status: 'failed', failure: { status: 502 } });
    expect(outcomes(result)).toEqual([
      'Secret/a: applied NOT_TAKEN_BACK',
      'ConfigMap/b: applied NOT_TAKEN_BACK',
      'Service/c: failed UNREACHABLE',
    ]);
    await expect(scene.plan(successive)).rejects.toMatchObject({ status: 502, code: 'CLUSTER_UNREACHABLE' });
    await expect(scene.undeploy()).rejects.toMatchObject({ status: 502 });
  }, 60_000);
});

/** Whether a process is stopped, by its state in `/proc/<pid>/stat` (proc(5)). */
const isStopped = (pid: number): boolean => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));
