import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { KubernetesObject } from '../../src/kubernetes/clusters/kubernetes-object.js';
import { type ClusterScene, importManifest, withClusterScene } from '../support/cluster-scene.js';
import { load, table } from '../support/load.js';
import { untilIdle } from '../support/server.js';

// Plays what platform teams wait for on a real control plane: fresh deployments, changes and removals of many resources, beside kubectl
// and Helm in the same run. Needs KUBEBUILDER_ASSETS with kubectl, and with helm for its rows. The arguments are the numbers of
// resources of the small and of the large design.
const SMALL = Number(process.argv[2] ?? 200);
const LARGE = Number(process.argv[3] ?? 1_000);
const DESIGNS = 10;
const EACH = 50;
const ASSETS = process.env['KUBEBUILDER_ASSETS'] ?? '';
const NAMESPACES = ['ours', 'kubectl', 'helm', ...Array.from({ length: DESIGNS }, (_, index) => `ours-${index}`)];

/** Kinds of the designs, whose requests are counted; controllers watch them and do not ask for them. */
const COUNTED = /resource="(configmaps|secrets|serviceaccounts|services|deployments)"/;
const VERBS = /verb="(GET|LIST|APPLY|PATCH|POST|DELETE)"/;

interface Figures {
  seconds: number;
  /** Processor time of the client, or of the server, in milliseconds. */
  client: number;
  database?: number;
  requests: number;
  commits?: number;
}

let kubeconfig = '';
const rows: string[][] = [];
const folder = mkdtempSync(join(tmpdir(), 'armature-domain-'));
try {
  await withClusterScene({ CLUSTER_WATCH: 'on' }, play);
  console.log(`\nDeployments on a real control plane; load average ${load()}\n`);
  const head = ['', 's', 'beside it, s', 'goal', 'cpu, ms a resource', 'database', 'requests a resource', 'commits'];
  console.log(table(head, rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function play(scene: ClusterScene): Promise<void> {
  kubeconfig = scene.controlPlane.kubeconfigFile;
  const kind = await scene.client.findKind('v1', 'Namespace');
  for (const name of NAMESPACES) {
    const namespace: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    if (kind) await scene.client.create(kind, namespace);
  }
  await untilIdle(scene.server);
  for (const size of [SMALL, LARGE]) await playSize(scene, size);
  await playTenDesigns(scene);
  await playRestart(scene);
}

async function playSize(scene: ClusterScene, size: number): Promise<void> {
  const [first, changed] = [manifest(size, 1), manifest(size, 2)];
  const id = await importManifest(scene, `${size}.yaml`, first);
  const deploy = () => scene.done('POST', '/api/pattern/deploy', { id, namespace: 'ours' });
  const kubectl = (text: string) => run('kubectl', ['apply', '--server-side', '-n', 'kubectl', '-f', written(text)]);
  const helm = (verb: string[], text: string) => run('helm', [...verb, 'app', chart(text), '-n', 'helm']);

  const fresh = await measure(scene, deploy);
  const freshBeside = [
    await measureProgram(scene, () => kubectl(first)),
    await measureHelm(scene, () => helm(['install'], first)),
  ];
  add(`fresh deployment of ${size}`, size, fresh, freshBeside, {
    goal: freshBeside[0]?.seconds,
    requests: 2,
    commits: 60,
  });

  const put = await measure(scene, () =>
    scene.done('PUT', '/api/pattern/kubernetes', { id, pattern_data: { pattern_file: changed } }),
  );
  add(`PUT of the version with ${size} changed`, size, put, [], { goal: size >= 1_000 ? 1 : undefined });

  const update = await measure(scene, deploy);
  const updateBeside = [
    await measureProgram(scene, () => kubectl(changed)),
    await measureHelm(scene, () => helm(['upgrade'], changed)),
  ];
  add(`all ${size} changed`, size, update, updateBeside, { goal: updateBeside[0]?.seconds });

  const undeploy = await measure(scene, () => scene.done('DELETE', '/api/pattern/deploy', { id }));
  const undeployBeside = [
    // It asks five times a second whether each is gone, which takes minutes for many.
    await measureProgram(scene, () =>
      run('kubectl', ['delete', `--wait=${size <= SMALL}`, '-n', 'kubectl', '-f', written(changed)]),
    ),
    await measureHelm(scene, () => run('helm', ['uninstall', 'app', '-n', 'helm'])),
  ];
  add(`undeployment of ${size}`, size, undeploy, undeployBeside, { goal: size <= 200 ? 4 : 15 });
}

async function playTenDesigns(scene: ClusterScene): Promise<void> {
  const ids: string[] = [];
  for (let index = 0; index < DESIGNS; index++)
    ids.push(await importManifest(scene, `ten-${index}.yaml`, manifest(EACH, 1)));
  const deployAll = (namespace: (index: number) => string) => () =>
    Promise.all(ids.map((id, index) => scene.done('POST', '/api/pattern/deploy', { id, namespace: namespace(index) })));
  const ours = await measure(
    scene,
    deployAll((index) => `ours-${index}`),
  );
  const files = ids.map((_, index) => written(manifest(EACH, 1).replaceAll('name: app-', `name: ten-${index}-`)));
  const beside = await measureProgram(scene, async () => {
    const used = await Promise.all(
      files.map((file) => run('kubectl', ['apply', '--server-side', '-n', 'kubectl', '-f', file])),
    );
    return used.reduce((sum, ms) => sum + ms, 0);
  });
  add(`ten designs of ${EACH} at once`, DESIGNS * EACH, ours, [beside], { goal: beside.seconds, requests: 2 });
  for (const id of ids) await scene.done('DELETE', '/api/pattern/deploy', { id });
}

/** Two deployments right after a start with many deployed objects, which are all compared then. */
async function playRestart(scene: ClusterScene): Promise<void> {
  const id = await importManifest(scene, 'standing.yaml', manifest(LARGE, 1));
  await scene.done('POST', '/api/pattern/deploy', { id, namespace: 'ours' });
  const ids = [
    await importManifest(scene, 'one.yaml', manifest(EACH, 1)),
    await importManifest(scene, 'two.yaml', manifest(EACH, 1)),
  ];
  const deploy = (design: string, namespace: string) =>
    scene.done('POST', '/api/pattern/deploy', { id: design, namespace });
  await untilIdle(scene.server);
  const deployBoth = (first: string, second: string) => () =>
    Promise.all([deploy(String(ids[0]), first), deploy(String(ids[1]), second)]);
  const quiet = await measure(scene, deployBoth('ours-0', 'ours-1'));
  for (const each of ids) await scene.done('DELETE', '/api/pattern/deploy', { id: each });
  await scene.restart();
  const after = await measure(scene, deployBoth('ours-0', 'ours-1'));
  add(`two deployments of ${EACH} after a start with ${LARGE} deployed`, 2 * EACH, after, [quiet], {
    goal: quiet.seconds * 1.5,
  });
}

function add(
  what: string,
  size: number,
  ours: Figures,
  beside: (Figures | undefined)[],
  goals: { goal?: number; requests?: number; commits?: number },
): void {
  const each = (ms?: number): string => (ms === undefined ? '' : (ms / size).toFixed(2));
  const { goal } = goals;
  const isMet =
    (goal === undefined || ours.seconds <= goal) &&
    (goals.requests === undefined || ours.requests / size <= goals.requests * 1.1) &&
    (goals.commits === undefined || size > SMALL || (ours.commits ?? 0) <= goals.commits);
  rows.push([
    what,
    ours.seconds.toFixed(1),
    beside.map((one) => one?.seconds.toFixed(1) ?? '-').join(' / '),
    goal === undefined ? '' : `${goal.toFixed(1)}: ${isMet ? 'met' : 'not met'}`,
    [ours, ...beside].map((one) => each(one?.client)).join(' / '),
    each(ours.database),
    [ours, ...beside].map((one) => each(one?.requests)).join(' / '),
    String(ours.commits),
  ]);
  console.error(rows.at(-1)?.join('  '));
}

async function measure(scene: ClusterScene, work: () => Promise<unknown>): Promise<Figures> {
  const { server, database } = scene;
  const read = async () => ({
    cpu: (await server.ask('cpu')) as number,
    database: database.cpu(),
    commits: (await server.ask('transactions')) as number,
    requests: await countRequests(scene),
  });
  const before = await read();
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const after = await read();
  return {
    seconds,
    client: after.cpu - before.cpu,
    database: after.database - before.database,
    requests: after.requests - before.requests,
    commits: after.commits - before.commits,
  };
}

/** @param work returns the processor time of the program */
async function measureProgram(scene: ClusterScene, work: () => Promise<number>): Promise<Figures> {
  const before = await countRequests(scene);
  const began = performance.now();
  const client = await work();
  const seconds = (performance.now() - began) / 1_000;
  return { seconds, client, requests: (await countRequests(scene)) - before };
}

/** Helm may not be there. */
async function measureHelm(scene: ClusterScene, work: () => Promise<number>): Promise<Figures | undefined> {
  return existsSync(join(ASSETS, 'helm')) ? measureProgram(scene, work) : undefined;
}

/** The requests about the kinds of the designs that the API server has answered, from its metrics. */
async function countRequests({ controlPlane: { url, ca, tokens } }: ClusterScene): Promise<number> {
  const asked = request(`${url}/metrics`, { ca, headers: { authorization: `Bearer ${tokens.admin}` } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const lines: string[] = [];
  for await (const line of createInterface({ input: response })) if (isCounted(line)) lines.push(line);
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

function isCounted(line: string): boolean {
  const isRequest = line.startsWith('apiserver_request_total{') && line.includes('subresource=""');
  return isRequest && COUNTED.test(line) && VERBS.test(line);
}

/** @returns the processor time that the program has taken, in milliseconds */
async function run(program: string, args: string[]): Promise<number> {
  const command = `TIMEFORMAT='cpu %U %S'; time "$0" "$@" > /dev/null`;
  const env = { ...process.env, KUBECONFIG: kubeconfig, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder };
  const child = spawn('bash', ['-c', command, join(ASSETS, program), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  let said = '';
  for await (const piece of child.stderr.setEncoding('utf8')) said += String(piece);
  const [code] = (await exit) as [number];
  if (code !== 0) throw new Error(`${program} ${args[0]} failed: ${said}`);
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(said) ?? [];
  return (Number(user) + Number(system)) * 1_000;
}

/** @param version of every object */
function manifest(size: number, version: number): string {
  return Array.from({ length: size }, (_, index) => JSON.stringify(objectOf(index, version))).join('\n---\n');
}

/** Of ten objects, four are ConfigMaps, two are Secrets, two Services, one is a ServiceAccount and one a Deployment with a pod. */
function objectOf(index: number, version: number): object {
  const name = `app-${index}`;
  const annotations = { 'example.org/version': String(version) };
  const metadata = { name, labels: { app: name }, annotations };
  const data = { version: String(version), settings: `level: ${index}\ntext: ${'x'.repeat(200)}\n` };
  if (index % 10 < 4) return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  if (index % 10 < 6)
    return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key: `secret ${index} ${version}` } };
  if (index % 10 < 8)
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: { app: name }, ports: [{ port: 8_000 + version }] },
    };
  if (index % 10 < 9) return { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
  const containers = [{ name: 'app', image: `app:${version}`, ports: [{ containerPort: 8_000 }] }];
  const template = { metadata: { labels: { app: name } }, spec: { containers, tolerations: [{ operator: 'Exists' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template },
  };
}

function written(text: string): string {
  const file = join(folder, `${randomUUID()}.yaml`);
  writeFileSync(file, text);
  return file;
}

function chart(text: string): string {
  const at = join(folder, randomUUID());
  mkdirSync(join(at, 'templates'), { recursive: true });
  writeFileSync(join(at, 'Chart.yaml'), 'apiVersion: v2\nname: app\nversion: 1.0.0\n');
  writeFileSync(join(at, 'templates', 'all.yaml'), text);
  return at;
}
