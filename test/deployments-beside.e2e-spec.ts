import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asObject, asText, isObject, type Json as JsonValue, type JsonObject } from '../src/core/json/json.js';
import { boundedParallel } from '../src/core/bounded-parallel.js';
import { archiveOf, membersOf } from '../src/designs/formats/archive.fixture.js';
import { same } from '../src/designs/formats/corpus.fixture.js';
import { resourceIdentity } from '../src/formats/design-file/design-component.js';
import { parseDocuments } from '../src/formats/documents/parse-documents.js';
import type { SourceFile } from '../src/formats/sources/source-file.js';
import { type Application, applicationsIn } from './support/applications.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { ClusterContent, type ClusterState } from './support/cluster-state.js';
import { clusterClient } from './support/deployment-scene.js';
import { ForeignDefinitions } from './support/foreign-definitions.js';
import { kubectl } from './support/kubectl.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { testRunFolder } from './support/test-run.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

const run = promisify(execFile);

/** Charts with hooks, webhooks and passwords that are kept by `lookup`; `CHARTS=all` takes every chart of the corpus. */
const CHARTS = new Set((process.env['CHARTS'] ?? 'redis-23.1.1.tgz,ingress-nginx-4.15.1.tgz').split(','));

/** What charts cannot be installed without. */
const NEEDED_VALUES: Record<string, JsonObject> = {
  karpenter: { settings: { clusterName: 'shop' } },
  // A job before each upgrade waits for a volume, which the cluster has none of.
  etcd: { preUpgradeJob: { enabled: false } },
  nginx: { tls: { enabled: false } },
  // Its notes fail without one, which Helm takes for a refusal.
  'opentelemetry-collector': { mode: 'deployment', image: { repository: 'collector' } },
};

/** Folders of the corpus with applications that no other test deploys; `APPLICATIONS` names others, with colons between them. */
const OWN_APPLICATIONS = ['kubernetes/dockersamples__example-voting-app', 'compose/deviantony__docker-elk', 'kubernetes/fluxcd__kustomize-controller']; // prettier-ignore

const FOLDERS = (process.env['APPLICATIONS'] ?? '').split(':').filter(Boolean);

/** What became of an application. */
interface Outcome {
  result: string;
  detail: string;
}

/** A release, and what an upgrade changes of its values. */
interface Release {
  chart: SourceFile;
  name: string;
  namespace: string;
  values: JsonObject;
  changes: JsonObject;
}

/** What is on the cluster after each step; the reason instead where one was refused. */
type Steps = Record<'install' | 'upgrade' | 'rollback', ClusterState | string>;

requires('CORPUS_DIR', 'charts of the corpus', (corpus) => {
  requires('KUBEBUILDER_ASSETS', 'on a real control plane', () => {
    requires('HELM_BIN', 'beside Helm itself', (helm) => {
      const definitionFolders = ['crds', 'kubernetes'].map((each) => join(corpus, each));
      let world: World;
      let cluster: Cluster;
      let folder: string;
      let workspace: Json;
      beforeAll(async () => {
        folder = mkdtempSync(join(testRunFolder(), 'beside-'));
        [world, cluster] = await Promise.all([
          World.start({ HELM_BIN: helm, KUSTOMIZE_BIN: join(dirname(helm), 'kubectl') }),
          startCluster(),
        ]);
        const { admin, organization } = world;
        const { kubeconfig } = cluster;
        const { connected } = await done(admin.post(`/api/system/kubernetes?orgID=${organization}`, { kubeconfig }));
        const environment = await done(admin.post('/api/environments', { name: 'dev', organization_id: organization }));
        await done(admin.post(`/api/environments/${environment.id}/connections/${connected[0].connection_id}`));
        workspace = await done(admin.post('/api/workspaces', { name: 'shop', organization_id: organization }));
        await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
      }, 120_000);
      afterAll(async () => {
        await world.stop();
        await cluster.stop();
        rmSync(folder, { recursive: true });
      });

      const callHelm = async (...args: string[]): Promise<string> => {
        const { stdout } = await run(helm, [...args, '--kubeconfig', cluster.kubeconfigFile], { maxBuffer: 1 << 27 });
        return stdout;
      };
      const fileOf = (name: string, content: Uint8Array | string): string => {
        const file = join(folder, name);
        writeFileSync(file, content);
        return file;
      };

      /** Takes one step after another, as long as none is refused. */
      const takeSteps = async (
        content: ClusterContent,
        steps: Record<keyof Steps, () => Promise<unknown>>,
      ): Promise<Steps> => {
        const states: Partial<Steps> = {};
        let refused: string | undefined;
        for (const step of ['install', 'upgrade', 'rollback'] as const) {
          refused ??= await steps[step]().then(
            () => undefined,
            (error: Error) => error.message,
          );
          states[step] = refused ?? (await content.state());
        }
        return states as Steps;
      };

      const withHelm = async (
        { chart, namespace, values, changes }: Release,
        content: ClusterContent,
      ): Promise<Steps> => {
        const file = fileOf('chart.tgz', chart.bytes);
        const [base, changed] = [fileOf('base.json', JSON.stringify(values)), fileOf('changed.json', JSON.stringify(changes))]; // prettier-ignore
        return takeSteps(content, {
          install: () => callHelm('install', 'shop', file, '-n', namespace, '-f', base),
          upgrade: () => callHelm('upgrade', 'shop', file, '-n', namespace, '-f', base, '-f', changed),
          rollback: () => callHelm('rollback', 'shop', '1', '-n', namespace),
        });
      };

      const withArmature = async (
        { chart, namespace, values, changes }: Release,
        content: ClusterContent,
      ): Promise<Steps> => {
        const { admin } = world;
        let id = '';
        let upgraded = '';
        return takeSteps(content, {
          install: async () => {
            const fields = {
              release_name: 'shop',
              values: JSON.stringify(values),
              workspace_id: workspace.id as string,
            };
            ({ id } = await done(admin.upload('/api/pattern/import', chart.path, Buffer.from(chart.bytes), fields)));
            await done(admin.post('/api/pattern/deploy', { id, namespace }));
          },
          upgrade: async () => {
            upgraded = (await done(admin.post('/api/pattern/deploy', { id, namespace, values: changes }))).id as string;
          },
          rollback: () => done(admin.post(`/api/deployments/${upgraded}/rollback`)),
        });
      };

      /** What Helm itself renders to something else each time, before and after the upgrade, as `Kind name/pointer`. */
      const generatedBy = async ({ chart, namespace, values, changes }: Release): Promise<Set<string>> => {
        const place = ['template', 'shop', fileOf('chart.tgz', chart.bytes), '-n', namespace];
        const base = ['-f', fileOf('base.json', JSON.stringify(values))];
        const changed = [...base, '-f', fileOf('changed.json', JSON.stringify(changes))];
        const generated = new Set<string>();
        for (const given of [base, changed]) {
          const texts = [0, 1].map(() => callHelm(...place, ...given));
          const [one = [], other = []] = await Promise.all(texts).then(
            (all) => all.map(objectsIn),
            () => [],
          );
          const others = new Map(other.map((object) => [resourceIdentity(object), object]));
          for (const object of one) {
            const name = `${asText(object['kind'])} ${asText(asObject(object['metadata'])['name'])}`;
            for (const pointer of pointers(object, others.get(resourceIdentity(object)) ?? {}))
              generated.add(name + pointer.replace('/stringData/', '/data/'));
          }
        }
        return generated;
      };

      it('are installed, upgraded and rolled back to the objects that Helm leaves there', async () => {
        const client = clusterClient(cluster.kubeconfig);
        const content = await ClusterContent.of(client);
        const definitions = new ForeignDefinitions([...definitionFolders, ...FOLDERS]);
        const [differences, rows]: [string[], string[]] = [[], []];
        let number = 0;
        for await (const chart of chartsOf(corpus)) {
          const namespace = `beside-${number++}`;
          const values = NEEDED_VALUES[chart.path.replace(/-v?\d.*/, '')] ?? {};
          const text = await callHelm('show', 'values', fileOf('chart.tgz', chart.bytes)).catch(() => '');
          const [defaults] = objectsIn(text);
          const release = { chart, name: 'shop', namespace, values, changes: changesOf(defaults ?? {}) };
          for (const definition of await missing(release, definitions)) {
            const file = fileOf('definition.json', JSON.stringify(definition));
            await kubectl(cluster, 'apply', '--server-side', '--force-conflicts', '-f', file);
          }
          await content.keepAll();
          const generated = await generatedBy(release);
          const results: Steps[] = [];
          for (const installer of [withHelm, withArmature]) {
            await kubectl(cluster, 'create', 'namespace', namespace);
            await kubectl(cluster, 'wait', '--for=create', 'configmap/kube-root-ca.crt', '-n', namespace);
            results.push(await installer(release, content));
            await content.clear();
          }
          const [theirs, ours] = results as [Steps, Steps];
          const found = [...compare(theirs, ours, generated), ...unstable(ours, generated)];
          differences.push(...found.map((each) => `${chart.path}: ${each}`));
          rows.push(`${chart.path}\t${Object.values(theirs).map(sizeOf).join('/')}\t${Object.keys(release.changes).join(',')}\t${found.length}`); // prettier-ignore
          if (process.env['CHARTS'] === 'all') process.stdout.write(`${rows.at(-1)}\n${found.map((each) => `  ${each}\n`).join('')}`); // prettier-ignore
        }
        await client.close();
        expect(differences).toEqual([]);
        expect(rows.length).toBeGreaterThanOrEqual(2);
      }, 3_000_000);

      /** Deploys an application, plans it again, and undeploys it. */
      const planAgain = async (
        { source, fields }: Application,
        number: number,
        definitions: ForeignDefinitions,
      ): Promise<Outcome> => {
        const { admin } = world;
        const { path, bytes } = await source();
        const about = { ...fields, workspace_id: workspace.id as string, name: `application ${number}` };
        const imported = await admin.upload('/api/pattern/import', path, Buffer.from(bytes), about);
        if (imported.status >= 300) return { result: 'not imported', detail: detailOf(imported.body) };
        const target = { id: imported.body.id as string, namespace: `application-${number}`, create_namespace: true };
        let plan = await admin.post('/api/pattern/deploy/plan', target);
        for (let round = 1; round <= 5 && !plan.body.deployable; round++) {
          const items = neededBy(plan.body, definitions);
          if (items.length === 0) break;
          const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
          await kubectl(
            cluster,
            'apply',
            '--server-side',
            '--force-conflicts',
            '-f',
            fileOf(`needed-${number}.json`, list),
          );
          // Definitions are served a moment later.
          await wait(round * 500);
          plan = await admin.post('/api/pattern/deploy/plan', target);
        }
        if (!plan.body.deployable) return { result: 'not deployable', detail: detailOf(plan.body) };
        const deployed = await admin.post('/api/pattern/deploy', target);
        if (deployed.status >= 300) return { result: 'refused', detail: detailOf(deployed.body) };
        // Controllers have written what they write by then.
        await wait(2_000);
        const again = await admin.post('/api/pattern/deploy/plan', target);
        const changes = (again.body.resources ?? [again.body]).filter(
          ({ action }: Json) => action !== 'unchanged' && action !== 'skip',
        );
        const undeployed = await admin.delete('/api/pattern/deploy', {
          body: { id: target.id, skip_hooks: true, delete_volumes: true },
        });
        if (undeployed.status >= 300) return { result: 'not undeployed', detail: detailOf(undeployed.body) };
        if (changes.length === 0) return { result: 'empty', detail: `${again.body.resources.length} resources` };
        const said = changes.map(
          ({ action, kind, name, diff, error, code }: Json) =>
            `${action} ${kind}/${name} ${JSON.stringify(diff ?? error ?? code).slice(0, 600)}`,
        );
        return { result: 'NOT EMPTY', detail: said.join('; ') };
      };

      it('and other applications are deployed, and a plan after that is empty', async () => {
        const folders = FOLDERS.length > 0 ? FOLDERS : OWN_APPLICATIONS.map((each) => join(corpus, each));
        const definitions = new ForeignDefinitions([...definitionFolders, ...folders]);
        const applications = folders.flatMap((folder) => applicationsIn(folder));
        const outcomes = await boundedParallel([...applications.entries()], 4, async ([number, application]) => {
          const outcome = await planAgain(application, number, definitions).catch((error: Error) => ({
            result: 'FAILED',
            detail: error.message,
          }));
          const line = `${application.name}\t${outcome.result}\t${outcome.detail.slice(0, 2000)}`;
          if (FOLDERS.length > 0) process.stdout.write(`${line}\n`);
          return { ...outcome, line };
        });
        expect(
          outcomes.filter(({ result }) => /^(?:NOT EMPTY|not undeployed|FAILED)$/.test(result)).map(({ line }) => line),
        ).toEqual([]);
        expect(outcomes.filter(({ result }) => result === 'empty').length).toBeGreaterThanOrEqual(3);
      }, 5_000_000);

      /** Definitions of kinds that a chart uses, and neither it nor the cluster defines. */
      const missing = async (
        { chart, namespace, values }: Release,
        definitions: ForeignDefinitions,
      ): Promise<JsonObject[]> => {
        const file = fileOf('chart.tgz', chart.bytes);
        const base = fileOf('base.json', JSON.stringify(values));
        const text = await callHelm('template', 'shop', file, '-n', namespace, '-f', base, '--include-crds').catch(
          () => '',
        );
        const objects = objectsIn(text);
        const client = clusterClient(cluster.kubeconfig);
        const defined = new Set(objects.filter(({ kind }) => kind === 'CustomResourceDefinition').map(({ spec }) => `${asText(asObject(spec)['group'])}/${asText(asObject(asObject(spec)['names'])['kind'])}`)); // prettier-ignore
        const wanted = new Map<string, JsonObject>();
        for (const { apiVersion, kind } of objects) {
          const [group = ''] = asText(apiVersion).split('/');
          const key = `${group}/${asText(kind)}`;
          if (defined.has(key) || wanted.has(key) || !asText(apiVersion).includes('/')) continue;
          if (await client.findKind(asText(apiVersion), asText(kind))) continue;
          const definition = definitions.of(group, asText(kind));
          if (definition) wanted.set(key, definition);
        }
        await client.close();
        return [...wanted.values()];
      };
    });
  });
});

/** The packed charts, which are the folders of the corpus with what they depend on. */
async function* chartsOf(corpus: string): AsyncGenerator<SourceFile> {
  const root = join(corpus, 'helm');
  const archives = readdirSync(join(root, 'packed'), { recursive: true, encoding: 'utf8' });
  const isWanted = (name: string): boolean => CHARTS.has('all') || CHARTS.has(basename(name));
  for (const name of archives.filter((each) => each.endsWith('.tgz') && isWanted(each)).sort()) {
    const bytes = readFileSync(join(root, 'packed', name));
    // Helm refuses what is no definition in crds/; both get the chart without it.
    const members = Object.entries(await membersOf(bytes)).filter(
      ([path]) => !path.endsWith('/crds/kustomization.yaml'),
    );
    yield archiveOf(Object.fromEntries(members), basename(name));
  }
}

/** The namespaces and definitions that an application expects on its cluster. */
function neededBy({ resources = [] }: Json, definitions: ForeignDefinitions): JsonObject[] {
  const needed = new Map<string, JsonObject>();
  for (const { error, api_version, kind, namespace } of resources) {
    if (error?.reason === 'NAMESPACE_NOT_FOUND')
      needed.set(namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const definition = error?.reason === 'UNKNOWN_KIND' && definitions.of(api_version.split('/')[0], kind);
    if (definition) needed.set(`${api_version} ${kind}`, definition);
  }
  return [...needed.values()];
}

/** What a refusal says, with what it says of each resource. */
function detailOf({ detail, errors, resources, deployment, policy_violations: violations }: Json): string {
  const refused = [...(resources ?? []), ...(deployment?.resources ?? [])].filter(({ error }: Json) => error);
  const each = refused.map(({ kind, name, error }: Json) => `${kind}/${name}: ${error.reason} ${error.detail}`);
  return [detail, ...(errors ?? []).map((fault: Json) => fault.detail), ...each, ...(violations ?? [])]
    .filter(Boolean)
    .join('; ')
    .slice(0, 600);
}

function objectsIn(text: string): JsonObject[] {
  return parseDocuments({ path: 'manifest', bytes: Buffer.from(text) }).flatMap(({ object }) =>
    object ? [object] : [],
  );
}

/** Other values for what most charts have: replicas, the tag of the image, annotations of pods. */
function changesOf(defaults: JsonObject): JsonObject {
  const changes: JsonObject = {};
  for (const [name, value] of Object.entries(defaults)) {
    if (/^replica(?:Count|s)$/.test(name) && typeof value === 'number') changes[name] = value + 1;
    else if (/^(?:images?|global)$/.test(name) && isObject(value) && 'tag' in value) changes[name] = { tag: '9.9.9' };
    else if (/^pod(?:Annotations|Labels)$/.test(name)) changes[name] = { changed: 'yes' };
    else if (isObject(value) && value['enabled'] !== false && !['global', 'common'].includes(name)) {
      const below = changesOf(value);
      if (Object.keys(below).length > 0) changes[name] = below;
    }
  }
  return changes;
}

function compare(theirs: Steps, ours: Steps, generated: Set<string>): string[] {
  return (['install', 'upgrade', 'rollback'] as const).flatMap((step) => {
    const [helm, armature] = [theirs[step], ours[step]];
    if (typeof helm === 'string' && typeof armature === 'string') return [];
    if (typeof helm === 'string') return [`${step}: Helm refuses: ${helm}`];
    if (typeof armature === 'string') return [`${step}: Armature refuses: ${armature.slice(0, 2000)}`];
    const names = [...new Set([...helm.keys(), ...armature.keys()])];
    return names.flatMap((name) => {
      const [one, other] = [helm.get(name), armature.get(name)];
      if (!one || !other) return [`${step}: ${name}: only with ${one ? 'Helm' : 'Armature'}`];
      return pointers(one, other)
        .filter((pointer) => !generated.has(withoutNamespace(name) + pointer))
        .map(
          (pointer) =>
            `${step}: ${name}${pointer}: ${show(one, pointer)} with Helm, ${show(other, pointer)} with Armature`,
        );
    });
  });
}

/** Generated values that an upgrade or a rollback has changed. */
function unstable(ours: Steps, generated: Set<string>): string[] {
  const { install, upgrade, rollback } = ours;
  if (typeof install === 'string') return [];
  return [...install].flatMap(([name, object]) =>
    [upgrade, rollback].flatMap((later) =>
      typeof later === 'string' || object['kind'] !== 'Secret'
        ? []
        : pointers(object, later.get(name) ?? object)
            .filter((pointer) => generated.has(withoutNamespace(name) + pointer) && show(object, pointer) !== NOTHING)
            .map((pointer) => `${name}${pointer} is not kept`),
    ),
  );
}

const NOTHING = 'nothing';
const withoutNamespace = (name: string): string => name.replace(/ .*\//, ' ');
const sizeOf = (state: ClusterState | string): string => (typeof state === 'string' ? `refused (${state.split('\n').at(-2)?.slice(0, 200)})` : String(state.size)); // prettier-ignore
const show = (object: JsonObject, pointer: string): string =>
  (JSON.stringify(pointer.split('/').slice(1).reduce<JsonValue | undefined>((value, key) => (value as JsonObject | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], object)) ?? NOTHING).slice(0, 300); // prettier-ignore

/** Where two values differ, as JSON Pointers. */
function pointers(one: JsonValue | undefined, other: JsonValue | undefined, at = ''): string[] {
  if (same(one, other)) return [];
  const isTwice = (isObject(one) && isObject(other)) || (Array.isArray(one) && Array.isArray(other));
  if (!isTwice) return [at];
  const [left, right] = [one as JsonObject, other as JsonObject];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return keys.flatMap((key) => pointers(left[key], right[key], `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)); // prettier-ignore
}
