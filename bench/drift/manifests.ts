import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import type { ClusterClient } from '../../src/kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../src/kubernetes/clusters/cluster-error.js';
import type { KubernetesObject } from '../../src/kubernetes/clusters/kubernetes-object.js';

/** Objects of one design, which share a namespace. */
const PER_DESIGN = 40;
const CONCURRENCY = 8;
/** They would keep the other objects of their namespace out, which are of other files; so do node ports, which a cluster has once. */
const EXCLUDED = new Set(['ResourceQuota', 'LimitRange']);

/** Kinds without a namespace whose objects do nothing to others; of one name there is one on a cluster. */
const CLUSTER_WIDE = new Set(['ClusterRole', 'ClusterRoleBinding', 'IngressClass', 'PriorityClass', 'StorageClass']);

/** So many objects of the corpus that the cluster takes, as manifests in each of which no object comes twice. */
export async function readManifests(corpus: string, client: ClusterClient, wanted: number): Promise<string[]> {
  const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ya?ml$/.test(name));
  const seen = new Set<string>();
  const isFirst = ({ kind, metadata: { name } }: KubernetesObject): boolean =>
    !CLUSTER_WIDE.has(kind) || (!seen.has(`${kind} ${name}`) && seen.add(`${kind} ${name}`).size > 0);
  const objects = files
    .sort()
    .flatMap((file) => parse(readFileSync(join(corpus, file), 'utf8')))
    .filter(isFirst);
  const taken: KubernetesObject[] = [];
  while (taken.length < wanted && objects.length > 0) {
    const tried = await Promise.all(objects.splice(0, CONCURRENCY).map((object) => tryOn(client, object)));
    taken.push(...tried.filter((object) => object !== undefined));
  }
  const designs: Map<string, KubernetesObject>[] = [];
  for (const object of taken) {
    const key = `${object.apiVersion} ${object.kind} ${object.metadata.name}`;
    let design = designs.find((one) => one.size < PER_DESIGN && !one.has(key));
    if (!design) designs.push((design = new Map()));
    design.set(key, object);
  }
  return designs.map((design) => [...design.values()].map((object) => stringify(object)).join('---\n'));
}

function parse(text: string): KubernetesObject[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  return documents
    .filter(({ errors }) => errors.length === 0)
    .map((document) => document.toJS({ maxAliasCount: 100 }) as Partial<KubernetesObject> | null)
    .filter((one): one is KubernetesObject => Boolean(one?.apiVersion && one.kind && one.metadata?.name))
    .filter((object) => !EXCLUDED.has(object.kind) && !JSON.stringify(object).includes('"nodePort"'));
}

/** The object for the namespace of its design, when the cluster takes one like it. */
async function tryOn(client: ClusterClient, object: KubernetesObject): Promise<KubernetesObject | undefined> {
  const kind = await client.findKind(object.apiVersion, object.kind, Infinity);
  if (!kind || (!kind.namespaced && !CLUSTER_WIDE.has(kind.kind))) return undefined;
  const { namespace: _, ...metadata } = object.metadata;
  const wanted = { ...object, metadata };
  try {
    const options = { fieldManager: 'bench', dryRun: true };
    const placed = kind.namespaced ? { ...metadata, namespace: 'default' } : metadata;
    await client.apply(kind, { ...wanted, metadata: placed }, options);
    return wanted;
  } catch (error) {
    if (error instanceof ClusterError && error.answered) return undefined;
    throw error;
  }
}

/** A Deployment that an autoscaler scales, with what the design says of its replicas or without. */
export function scaledManifest(index: number): string {
  const name = `scaled-${index}`;
  const labels = { app: name };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      ...(index % 2 === 0 && { replicas: 1 }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    },
  };
  const autoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: { minReplicas: 1, maxReplicas: 5, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
  };
  return [deployment, autoscaler].map((object) => stringify(object)).join('---\n');
}
