import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import { DeploymentScene } from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { omitServerFields } from './field-changes.js';
import { type Plan } from './plan.js';
import { type PlanItem } from './plan-item.js';

/** Number of deployments that are compared with their plans; `FIDELITY_DEPLOYMENTS=300` runs more. */
const DEPLOYMENTS = Number(process.env['FIDELITY_DEPLOYMENTS'] ?? 9);
const MAX_RESOURCES = 60;

/** The effect of a deployment on one object. */
type Effect = 'create' | 'update' | 'unchanged' | 'prune' | 'refused';

requires('CORPUS_DIR', 'A plan of an application', (corpus) => {
  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    let cluster: Cluster;

    beforeAll(async () => {
      cluster = await sharedCluster({ bare: true });
    }, 60_000);

    const live = async (scene: DeploymentScene, { kind, planned }: PlanItem): Promise<KubernetesObject | undefined> => {
      const found = kind && (await scene.client.findKind(kind.apiVersion, kind.kind));
      const object = found && (await scene.client.lookup(found, planned.name, planned.namespace ?? undefined));
      return object?.metadata.deletionTimestamp ? undefined : object;
    };
    const effectOf = (item: PlanItem, before?: KubernetesObject, after?: KubernetesObject): Effect => {
      if (!before && !after) return 'refused';
      if (!before) return 'create';
      if (!after) return 'prune';
      const kind = item.kind ?? { subresources: [] };
      const isSame = isDeepStrictEqual(omitServerFields(kind, before), omitServerFields(kind, after));
      return isSame ? 'unchanged' : 'update';
    };
    /** After a refusal, nothing is pruned. */
    const predict = ({ planned }: PlanItem, isRefused: boolean): Effect => {
      if (planned.error) return 'refused';
      if (isRefused && planned.action === 'prune') return 'unchanged';
      return planned.kept !== undefined || planned.action === 'delete' ? 'unchanged' : planned.action;
    };

    /** Deploys, and compares the effect on each object with the plan. */
    const compare = async (scene: DeploymentScene, objects: KubernetesObject[]): Promise<string[]> => {
      const plan: Plan = await scene.plan(objects);
      const before = await Promise.all(plan.items.map((item) => live(scene, item)));
      const isRefused = plan.items.some(({ planned }) => planned.error);
      const outcomes = plan.items.map((item) => ({ effect: predict(item, isRefused), diff: item.planned.diff }));
      await scene.apply(plan, { atomic: false });
      const after = await Promise.all(plan.items.map((item) => live(scene, item)));
      return plan.items.map((item, index) => {
        const { effect = 'refused', diff = [] } = outcomes[index] ?? {};
        const was = effectOf(item, before[index], after[index]);
        // A refused object is unchanged; a change of ownership alone changes no value.
        const holdsOnly = diff.length > 0 && diff.every(({ path }) => path === '/metadata/managedFields');
        const isAsTold =
          was === effect ||
          (effect === 'refused' && was === 'unchanged') ||
          (effect === 'update' && was === 'unchanged' && holdsOnly);
        const wrong = diff.filter(({ path, to }) => typeof to === 'number' && valueAt(after[index], path) !== to);
        const name = `${item.planned.kind} ${item.planned.name}`;
        if (!isAsTold) return `${name}: ${effect}, and it was ${was}`;
        return wrong.length > 0 && was === 'update' ? `${name}: ${wrong[0]?.path ?? ''} differs` : '';
      });
    };

    it(
      'is what is then done, first, after changes and after something is left out',
      async () => {
        const faults: string[] = [];
        let [deployments, resources] = [0, 0];
        for (const [file, objects] of applications(corpus)) {
          if (deployments >= DEPLOYMENTS) break;
          const scene = await DeploymentScene.open(cluster.kubeconfig);
          const placed = objects.map((object) => place(object, scene));
          const changed = placed.map(change);
          for (const version of [placed, changed, changed.slice(1)]) {
            const outcome = await compare(scene, version);
            deployments++;
            resources += outcome.length;
            faults.push(...outcome.filter(Boolean).map((fault) => `${file}: ${fault}`));
          }
          await scene.undeploy({ previous: undefined });
          await scene.close();
        }
        if (process.env['FIDELITY_DEPLOYMENTS'])
          process.stdout.write(
            `${deployments} deployments, ${resources} resources, ${faults.length} not as planned\n${faults.join('\n')}\n`,
          );
        expect(deployments).toBeGreaterThanOrEqual(DEPLOYMENTS);
        expect(faults.length).toBeLessThanOrEqual(resources / 1_000);
      },
      120_000 + DEPLOYMENTS * 10_000,
    );
  });
});

/** The manifests of the corpus with named objects, without duplicates. */
function* applications(corpus: string): Generator<[string, KubernetesObject[]]> {
  const folder = join(corpus, 'kubernetes');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ya?ml$/.test(name));
  for (const file of files.sort()) {
    const objects = parseAllDocuments(readFileSync(join(folder, file), 'utf8')).flatMap((document) => {
      if (document.errors.length > 0) return [];
      const object: unknown = document.toJS({ maxAliasCount: 1_000 });
      return isNamed(object) ? [object] : [];
    });
    const isWhole = objects.length > 0 && objects.length <= MAX_RESOURCES;
    if (isWhole && !objects.some(({ kind }) => /Namespace|Webhook|APIService|^Node$/.test(kind))) yield [file, objects];
  }
}

function isNamed(object: unknown): object is KubernetesObject {
  const { apiVersion, kind, metadata } = (object ?? {}) as Partial<KubernetesObject>;
  return Boolean(apiVersion && kind && metadata?.name);
}

/** Moves an object to the namespace of the scene. */
function place(object: KubernetesObject, { namespace }: DeploymentScene): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, ...(object.metadata.namespace && { namespace }) } };
}

/** Changes the number of replicas, a value and an annotation. */
function change(object: KubernetesObject, index: number): KubernetesObject {
  if (index % 3 === 2) return object;
  const { spec, data } = object as { spec?: Record<string, unknown>; data?: Record<string, unknown> };
  const annotations = { ...(object.metadata['annotations'] as object | undefined), 'example.com/changed': 'yes' };
  return {
    ...object,
    metadata: { ...object.metadata, annotations },
    ...(typeof spec?.['replicas'] === 'number' && { spec: { ...spec, replicas: spec['replicas'] + 1 } }),
    ...(object.kind === 'ConfigMap' && data && { data: { ...data, changed: 'yes' } }),
  };
}

function valueAt(object: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], object);
}
