import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesBelow } from '../../src/designs/formats/corpus.fixture.js';
import type { KubernetesObject } from '../../src/kubernetes/clusters/kubernetes-object.js';
import { type ClusterScene, importManifest, quantile, waitFor, withClusterScene } from '../support/cluster-scene.js';
import { call } from '../../test/support/control-plane-access.js';
import { load, table } from '../support/load.js';
import { readManifests, scaledManifest } from './manifests.js';
import { startMutatingWebhook } from './mutating-webhook.js';

// Deploys objects and Compose applications of the corpus to a real control plane, with webhooks that mutate and autoscalers that scale, and counts what is
// taken for drift though nobody changed it; then changes an object again and again, and measures how long it takes until an event
// shows it. Needs KUBEBUILDER_ASSETS and CORPUS_DIR.
const RESOURCES = Number(process.argv[2] ?? 1_000);
const CHANGES = Number(process.argv[3] ?? 50);
const SCALED = 10;
const DEPLOYED_AT_ONCE = 3;
const SETTLED_MS = 10_000;
const PATIENCE_MS = 60_000;

interface Drift {
  status: string;
  resources: { kind: string; name: string; status: string; detail: string | null; changes: { pointer: string }[] }[];
}

const webhook = await startMutatingWebhook();
const began = Date.now();
try {
  await withClusterScene({ CLUSTER_WATCH: 'on' }, async (scene) => {
    const corpus = process.env['CORPUS_DIR'] ?? '';
    const manifests = await readManifests(join(corpus, 'kubernetes'), scene.client, RESOURCES);
    report(`${manifests.length} manifests of objects that the cluster takes`);
    await write(scene, webhook.configuration);
    manifests.push(Array.from({ length: SCALED }, (_, index) => scaledManifest(index)).join('---\n'));
    const files = filesBelow(join(corpus, 'compose'), /^(?:docker-)?compose.*\.ya?ml$/);
    const standing = await deployAll(scene, [...manifests, ...files.map((file) => readFileSync(file, 'utf8'))]);
    const deployedIn = Date.now() - began;
    report('deployed');
    await scale(scene, `drift-${manifests.length - 1}`);
    await sleep(SETTLED_MS);
    const found = await compare(scene, standing);
    report('compared');
    const drifted = await countEvents(scene, 'drifted');
    const { seen, healed } = await measure(scene);
    console.log(`\nDrift on a real control plane; load average ${load()}, ${seconds(Date.now() - began)} s in all\n`);
    console.log(
      table(
        ['figure', 'value'],
        [
          ['designs deployed', String(standing.length)],
          ['until all were deployed, s', seconds(deployedIn)],
          ['calls of the mutating webhook', String(webhook.calls())],
          ['resources compared', String(found.compared)],
          ['taken for drift', String(found.wrong.length)],
          ['not comparable', String(found.unknown.length)],
          ['events of drift without a change', String(drifted)],
          [`from a change to its event, s (median of ${seen.length})`, quantile(seen, 0.5)],
          ['p95', quantile(seen, 0.95)],
          ['slowest', quantile(seen, 1)],
          ['from its end to the event of that, s (median)', quantile(healed, 0.5)],
          ['p95', quantile(healed, 0.95)],
        ],
      ),
    );
    for (const line of [...found.wrong, ...found.unknown]) console.log(line);
  });
} finally {
  webhook.stop();
}

async function deployAll(scene: ClusterScene, texts: string[]): Promise<string[]> {
  const standing: string[] = [];
  const waiting = [...texts.entries()];
  const deployer = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, text] = next;
      const id = await importManifest(scene, `${index}.yaml`, text).catch(() => undefined);
      if (!id) continue;
      const wanted = { id, namespace: `drift-${index}`, create_namespace: true, atomic: false, wait: false };
      const { status, body } = await scene.call<{ detail?: string }>('POST', '/api/pattern/deploy', wanted);
      if (status === 200) standing.push(id);
      else console.log(`manifest ${index} was answered ${status}: ${body.detail}`);
    }
  };
  await Promise.all(Array.from({ length: DEPLOYED_AT_ONCE }, deployer));
  return standing;
}

/** As the controller of autoscalers does, which has no measurements here. */
async function scale({ controlPlane: { url, ca, tokens } }: ClusterScene, namespace: string): Promise<void> {
  for (let index = 0; index < SCALED; index++) {
    const name = `scaled-${index}`;
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/scale?fieldManager=kube-controller-manager`;
    const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, namespace }, spec: { replicas: 3 } };
    const status = await call({ url, ca, token: tokens.admin }, 'PUT', path, body);
    if (status !== 200) throw new Error(`scaling was answered ${status}`);
  }
}

async function compare({ done }: ClusterScene, standing: string[]) {
  const [wrong, unknown]: [string[], string[]] = [[], []];
  let compared = 0;
  for (const design of standing)
    for (const { kind, name, status, detail, changes } of (await done<Drift>('GET', `/api/pattern/${design}/drift`))
      .resources) {
      compared++;
      const what = `${status}: ${kind} ${name} ${detail ?? ''} ${changes.map(({ pointer }) => pointer).join(' ')}`;
      if (status === 'unknown') unknown.push(what);
      else if (status !== 'in_sync') wrong.push(what);
    }
  return { compared, wrong, unknown };
}

/** Changes one object and changes it back, again and again. */
async function measure(scene: ClusterScene): Promise<{ seen: number[]; healed: number[] }> {
  const namespace = 'drift-latency';
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n';
  const id = await importManifest(scene, 'settings.yaml', manifest);
  const wanted = { id, namespace, create_namespace: true };
  const { id: deployment } = await scene.done<{ id: string }>('POST', '/api/pattern/deploy', wanted);
  const kind = await scene.client.findKind('v1', 'ConfigMap');
  if (!kind) throw new Error('no ConfigMap');
  const times: { seen: number[]; healed: number[] } = { seen: [], healed: [] };
  const change = async (colour: string, action: 'drifted' | 'healed', into: number[]): Promise<void> => {
    const before = await countEvents(scene, action, deployment);
    await scene.client.patch(kind, 'settings', namespace, { type: 'merge', body: { data: { colour } } });
    const since = performance.now();
    await waitFor(action, async () => (await countEvents(scene, action, deployment)) > before, {
      withinMs: PATIENCE_MS,
    });
    into.push(performance.now() - since);
  };
  for (let index = 0; index < CHANGES; index++) {
    await change(`red ${index}`, 'drifted', times.seen);
    await change('blue', 'healed', times.healed);
  }
  return times;
}

async function countEvents({ done }: ClusterScene, action: string, of = ''): Promise<number> {
  const path = `/api/events?category=deployment&action=${action}&pagesize=1${of && `&acted_upon=${of}`}`;
  return (await done<{ total_count: number }>('GET', path)).total_count;
}

async function write({ client }: ClusterScene, object: KubernetesObject): Promise<void> {
  const kind = await client.findKind(object.apiVersion, object.kind);
  if (!kind) throw new Error(`no ${object.kind}`);
  await client.create(kind, object);
}

/** How far it is. */
function report(what: string): void {
  console.error(`${seconds(Date.now() - began)} s: ${what}`);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0);
}
