import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesBelow } from '../../src/designs/formats/corpus.fixture.js';
import type { ClusterClient } from '../../src/kubernetes/clusters/cluster-client.js';
import type { KubernetesObject } from '../../src/kubernetes/clusters/kubernetes-object.js';
import { type ClusterScene, withClusterScene } from '../support/cluster-scene.js';
import { load, table } from '../support/load.js';

// Deploys applications of the corpus to a real control plane among objects of others, undeploys them, and compares all objects of
// the cluster before and after: what is left is an orphan, what has changed or is gone belonged to others. An application that the
// cluster refuses must leave nothing as well. Needs KUBEBUILDER_ASSETS and CORPUS_DIR; the argument is how many of each format.
const MOST = Number(process.argv[2] ?? Infinity);
const SETTLED_WITHIN_MS = 15_000;
const UNDEPLOYED_WITHIN_MS = 120_000;
const NAMESPACE = 'application';
const FOREIGN = 'foreign';

const FORMATS: Record<string, [folder: string, pattern: RegExp]> = {
  kubernetes: ['kubernetes', /(?<!kustomization)\.ya?ml$/],
  'docker-compose': ['compose', /^(?:docker-)?compose.*\.ya?ml$/],
  helm: ['helm/packed', /\.tgz$/],
};

/** Kinds whose objects the cluster writes by itself. */
const VOLATILE = new Set([
  'APIService',
  'Event',
  'Lease',
  'Node',
  'EndpointSlice',
  'Endpoints',
  'ControllerRevision',
  'ComponentStatus',
]);

interface Resource {
  kind: string;
  name: string;
  status: string;
  error: { reason: string; detail: string } | null;
}
interface Deployment {
  id?: string;
  code?: string;
  status: string;
  finished_at: string | null;
  resources: Resource[];
}

const FIGURES = ['imported', 'deployed', 'refused', 'objects', 'kept', 'orphans', 'changed', 'lost'] as const;
type Counts = Record<(typeof FIGURES)[number], number>;

const began = Date.now();

await withClusterScene({}, async (scene) => {
  await addForeignObjects(scene.client);
  const rows: string[][] = [];
  for (const [format, [folder, pattern]] of Object.entries(FORMATS)) {
    const counts = Object.fromEntries(FIGURES.map((figure) => [figure, 0])) as Counts;
    const root = join(process.env['CORPUS_DIR'] ?? '', folder);
    for (const file of filesBelow(root, pattern).slice(0, MOST))
      await tryOut(scene, relative(root, file), file, counts);
    rows.push([format, ...FIGURES.map((figure) => String(counts[figure]))]);
    console.error(`${((Date.now() - began) / 1_000).toFixed(0)} s: ${rows.at(-1)?.join(' ')}`);
  }
  console.log(`\nUndeployed applications on a real control plane; load average ${load()}\n`);
  console.log(table(['', ...FIGURES], rows));
});

async function tryOut(scene: ClusterScene, name: string, file: string, counts: Counts): Promise<void> {
  const { call, workspace, client } = scene;
  const body = { file: readFileSync(file).toString('base64'), file_name: basename(file), workspace_id: workspace };
  console.error(`${((Date.now() - began) / 1_000).toFixed(0)} s: ${name}`);
  const design = await call<{ id: string }>('POST', '/api/pattern/import', body);
  if (design.status >= 300) return;
  counts.imported++;
  const before = await takeSnapshot(client);
  const target = { id: design.body.id, namespace: NAMESPACE, timeout: 30, replace: true };
  const { status, body: deployed } = await call<Deployment>('POST', '/api/pattern/deploy', target);
  if (status >= 500) console.log(`${name}: deploying was answered ${status} ${deployed.code}`);
  let kept = 0;
  if (status === 200) {
    counts.deployed++;
    counts.objects += deployed.resources.length;
    const undeployed = await undeploy(scene, design.body.id);
    if (undeployed.status !== 'undeployed') console.log(`${name}: undeploying ended as ${JSON.stringify(undeployed)}`);
    kept = undeployed.resources.filter((one) => one.status === 'kept').length;
    counts.kept += kept;
  } else counts.refused++;
  const difference = await settle(client, before, kept);
  for (const what of ['orphans', 'changed', 'lost'] as const) {
    const objects = difference[what];
    counts[what] += objects.length;
    for (const object of objects) console.log(`${what}: ${object}, after ${name} (answered ${status})`);
  }
}

/** Until it has ended, or for as long as users would wait. */
async function undeploy({ done }: ClusterScene, id: string): Promise<Deployment> {
  const asked = await done<Deployment>('DELETE', '/api/pattern/deploy?async=true', { id, delete_volumes: true });
  for (const end = Date.now() + UNDEPLOYED_WITHIN_MS; ; await sleep(200)) {
    const now = await done<Deployment>('GET', `/api/deployments/${asked.id}`);
    if (now.finished_at !== null || Date.now() > end) return now;
  }
}

/** The version of each object of the cluster, without what the cluster writes by itself, and what belongs to something else. */
async function takeSnapshot(client: ClusterClient): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  client.invalidateKinds();
  for (const kind of await client.listKinds()) {
    if (!kind.preferred || !kind.verbs.includes('list') || VOLATILE.has(kind.kind)) continue;
    for (const { metadata } of await client.listMetadata(kind).catch(() => []))
      if (!metadata.ownerReferences?.length)
        found.set(
          `${kind.group}/${kind.kind} ${metadata.namespace ?? ''}/${metadata.name}`,
          versionOf(kind.kind, metadata),
        );
  }
  return found;
}

/** Of kinds with a status that the cluster writes, the version of what is asked for. */
function versionOf(kind: string, metadata: KubernetesObject['metadata']): string {
  const { uid, generation, resourceVersion, labels, annotations } = metadata;
  const isPlain = kind === 'ConfigMap' || kind === 'Secret' || kind === 'ServiceAccount';
  return JSON.stringify(isPlain ? [uid, resourceVersion] : [uid, generation, labels, annotations]);
}

/** What differs once nothing changes any more. @param kept objects that stay by intent */
async function settle(client: ClusterClient, before: Map<string, string>, kept: number) {
  for (const end = Date.now() + SETTLED_WITHIN_MS; ; await sleep(250)) {
    const now = await takeSnapshot(client);
    const orphans = [...now.keys()].filter((key) => !before.has(key));
    const lost = [...before.keys()].filter((key) => !now.has(key));
    const changed = [...before]
      .filter(([key, version]) => now.has(key) && now.get(key) !== version)
      .map(([key]) => key);
    const isClean = orphans.length <= kept && lost.length === 0 && changed.length === 0;
    if (isClean) return { orphans: [], changed, lost };
    if (Date.now() > end) return { orphans, changed, lost };
  }
}

/** In a namespace of their own, in that of the applications and without one; with labels as applications have them. */
async function addForeignObjects(client: ClusterClient): Promise<void> {
  const labels = { app: 'web', 'app.kubernetes.io/name': 'web', 'app.kubernetes.io/managed-by': 'Helm' };
  const add = async (apiVersion: string, name: string, fields: object, namespace?: string): Promise<void> => {
    const [group = '', kind = ''] = apiVersion.split(' ');
    const found = await client.findKind(group, kind);
    if (!found) throw new Error(`no ${kind}`);
    await client.create(found, { apiVersion: group, kind, metadata: { name, namespace, labels }, ...fields });
  };
  for (const namespace of [FOREIGN, NAMESPACE]) {
    await add('v1 Namespace', namespace, {});
    await add('v1 ConfigMap', 'theirs', { data: { colour: 'blue' } }, namespace);
    await add('v1 Secret', 'theirs', { stringData: { key: 'secret' } }, namespace);
    await add('v1 Service', 'theirs', { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }, namespace);
    await add('v1 PersistentVolumeClaim', 'theirs', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } }, namespace); // prettier-ignore
    const selector = { matchLabels: { app: 'theirs' } };
    const template = {
      metadata: { labels: { app: 'theirs' } },
      spec: { containers: [{ name: 'app', image: 'app:1' }] },
    };
    await add('apps/v1 Deployment', 'theirs', { spec: { selector, template } }, namespace);
  }
  await add('rbac.authorization.k8s.io/v1 ClusterRole', 'theirs', { rules: [] });
  // The cluster adds to namespaces what all of them have.
  await sleep(3_000);
}
