import { importManifest, quantile, withClusterScene } from '../support/cluster-scene.js';
import { load, table } from '../support/load.js';

// Rolls a design of many resources back and forth on a real control plane, and measures each until it is answered: every resource
// changed, every workload ready. Needs KUBEBUILDER_ASSETS.
const RESOURCES = Number(process.argv[2] ?? 200);
const ROLLBACKS = Number(process.argv[3] ?? 20);

/** Of 20 resources 2 are workloads. */
function manifest(version: string): string {
  return Array.from({ length: RESOURCES }, (_, index) => resource(index, version)).join('---\n');
}

function resource(index: number, version: string): string {
  const name = `app-${index}`;
  const head = (apiVersion: string, kind: string): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, annotations: {version: "${version}"}}\n`;
  if (index % 20 === 0) return `${head('v1', 'ServiceAccount')}`;
  if (index % 20 === 1) return `${head('v1', 'Secret')}stringData: {version: "${version}"}\n`;
  if (index % 10 === 2) return `${head('v1', 'Service')}spec: {selector: {app: ${name}}, ports: [{port: 80}]}\n`;
  if (index % 10 === 3)
    return `${head('apps/v1', 'Deployment')}spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: "app:${version}"}], terminationGracePeriodSeconds: 0}
`;
  return `${head('v1', 'ConfigMap')}data: {version: "${version}"}\n`;
}

interface Deployment {
  id: string;
  status: string;
  resources: { action: string; status: string }[];
}

await withClusterScene({}, async (scene) => {
  const { done, server } = scene;
  const id = await importManifest(scene, 'app.yaml', manifest('1'));
  await done('PUT', '/api/pattern/kubernetes', { id, pattern_data: { pattern_file: manifest('2') } });
  const deploy = (version: number): Promise<Deployment> =>
    done('POST', '/api/pattern/deploy', { id, version, namespace: 'rollback', create_namespace: true });
  const first = await timed(() => deploy(1));
  let last = (await timed(() => deploy(2))).answer;
  const times: number[] = [];
  const cpuBefore = (await server.ask('cpu')) as number;
  for (let index = 0; index < ROLLBACKS; index++) {
    const { answer, ms } = await timed(() =>
      done<Deployment>('POST', `/api/deployments/${last.id}/rollback`, { version: 1 + (index % 2) }),
    );
    const changed = answer.resources.filter(({ action }) => action === 'update').length;
    if (answer.status !== 'succeeded' || changed !== RESOURCES)
      throw new Error(`a rollback ended ${answer.status}, and changed ${changed} of ${RESOURCES} resources`);
    last = answer;
    times.push(ms);
  }
  const cpu = (((await server.ask('cpu')) as number) - cpuBefore) / ROLLBACKS;
  console.log(`\nRollbacks on a real control plane; load average ${load()}\n`);
  console.log(
    table(
      ['figure', 'value'],
      [
        ['resources, each of which a rollback changes', String(RESOURCES)],
        ['first deployment, s', (first.ms / 1_000).toFixed(2)],
        [`rollback, s (median of ${times.length})`, quantile(times, 0.5)],
        ['p95', quantile(times, 0.95)],
        ['slowest', quantile(times, 1)],
        ['processor time of the server for each, s', (cpu / 1_000).toFixed(2)],
      ],
    ),
  );
});

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  const since = performance.now();
  const answer = await work();
  return { answer, ms: performance.now() - since };
}
