import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/formats/archives/tar.fixture.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

const EVENTS = ['test', 'test-success', 'pre-install', 'post-install', 'pre-upgrade', 'post-upgrade', 'pre-delete', 'post-delete', 'pre-rollback', 'post-rollback']; // prettier-ignore

const configMap = (name: string, hook?: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${hook ? `  annotations: {helm.sh/hook: "${hook}"}\n` : ''}data: {a: b}\n`;

/** A chart of config maps by name; the value is the events of which it is a hook. */
async function chartOf(maps: Record<string, string | undefined>): Promise<Buffer> {
  const templates = Object.entries(maps).map(([name, hook]) => [`shop/templates/${name}.yaml`, configMap(name, hook)]);
  const head = { 'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n' };
  return gzipSync(await tarOf({ ...head, ...Object.fromEntries(templates) }));
}

requires('HELM_BIN', 'a design of a chart', (helm) => {
  let world: World;
  beforeAll(async () => (world = await World.start({ HELM_BIN: helm })));
  afterAll(() => world.stop());

  const imported = (chart: Buffer, fields: Record<string, string> = {}): Promise<Json> =>
    done(world.admin.upload('/api/pattern/import', 'shop.tgz', chart, fields));

  it('is deployable or not whatever its hooks are, unless those are for installing', async () => {
    expect(await imported(await chartOf({ check: 'test', tidy: 'post-delete' }))).toMatchObject({
      canSupport: false,
      errmsg: 'nothing in this design can be deployed',
    });
    const gadget = 'apiVersion: example.org/v1\nkind: Gadget\nmetadata:\n  name: mine\n  annotations: {helm.sh/hook: HOOK}\n'; // prettier-ignore
    const withGadget = async (hook: string): Promise<Json> =>
      imported(
        gzipSync(
          await tarOf({
            'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
            'shop/templates/map.yaml': configMap('settings'),
            'shop/templates/gadget.yaml': gadget.replace('HOOK', hook),
          }),
        ),
      );
    expect(await withGadget('test')).toMatchObject({ canSupport: true, errmsg: '' });
    expect(await withGadget('pre-install')).toMatchObject({
      canSupport: false,
      errmsg: expect.stringContaining('Gadget of example.org/v1'),
    });
  });

  it('has its hooks judged with the rest', async () => {
    const { id } = await imported(await chartOf({ settings: undefined, check: 'test' }));
    expect((await world.admin.get(`/api/pattern/${id}/validate`)).body).toMatchObject({
      valid: true,
      counts: { components: 2, unknown: 0 },
    });
  });

  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    let cluster: Cluster;
    let workspace: Json;
    let environment: Json;
    beforeAll(async () => {
      cluster = await sharedCluster();
      const { admin, organization } = world;
      const { body } = await admin.post(`/api/system/kubernetes?orgID=${organization}`, {
        kubeconfig: cluster.kubeconfig,
      });
      environment = await done(admin.post('/api/environments', { name: 'dev', organization_id: organization }));
      await done(admin.post(`/api/environments/${environment.id}/connections/${body.connected[0].connection_id}`));
      workspace = await done(admin.post('/api/workspaces', { name: 'shop', organization_id: organization }));
      await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
    }, 120_000);

    const installed = async (namespace: string): Promise<string[]> => {
      const names = await kubectl(cluster, 'get', 'cm', '-n', namespace, '-l', 'armature.dev/design', '-o', 'name');
      return names
        .split('\n')
        .filter(Boolean)
        .map((name) => name.replace('configmap/', ''))
        .sort();
    };

    const job = (name: string, hook: string, fate = ''): string => `apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, annotations: {${hook}}}
spec:
  backoffLimit: 0
  template:
    metadata: {labels: {app: ${name}, test-pods: "${fate}"}}
    spec: {restartPolicy: Never, containers: [{name: app, image: "app:1"}], tolerations: [{operator: Exists}]}
`;
    /** A chart of hooks by the path of their templates. */
    const hooked = async (templates: Record<string, string>): Promise<Buffer> =>
      gzipSync(
        await tarOf({
          'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
          'shop/templates/settings.yaml': configMap('settings'),
          ...Object.fromEntries(Object.entries(templates).map(([name, text]) => [`shop/templates/${name}.yaml`, text])),
        }),
      );
    const scene = async (chart: Buffer): Promise<{ id: string; namespace: string }> => {
      const namespace = `h${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'namespace', namespace);
      const { id } = await imported(chart, { workspace_id: workspace.id as string });
      return { id, namespace };
    };
    const actionsOf = ({ resources }: Json): string[] =>
      resources.map(({ kind, name, hook, status }: Json) => [kind, name, hook, status].filter(Boolean).join(' '));

    it('is rendered for the namespace that it is deployed in, as long as it is there', async () => {
      const { admin } = world;
      const host = `apiVersion: v1
kind: ConfigMap
metadata: {name: host, namespace: {{ .Release.Namespace }}}
data: {host: 'shop.{{ .Release.Namespace }}.svc'}
`;
      const { id, namespace } = await scene(await hooked({ host }));
      const plan = await done(admin.post('/api/pattern/deploy/plan', { id, namespace }));
      expect(plan.resources.map((each: Json) => [each.name, each.namespace, each.action]).sort()).toEqual([
        ['host', namespace, 'create'],
        ['settings', namespace, 'create'],
      ]);
      const deployed = await done(admin.post('/api/pattern/deploy', { id, namespace }));
      expect(deployed.design_version).toBe(2);
      const text = await kubectl(cluster, 'get', 'cm', 'host', '-n', namespace, '-o', 'jsonpath={.data.host}');
      expect(text).toBe(`shop.${namespace}.svc`);
      const again = await done(admin.post('/api/pattern/deploy', { id }));
      expect([again.design_version, ...again.resources.map(({ action }: Json) => action)]).toEqual([2, 'unchanged', 'unchanged']); // prettier-ignore
      await done(admin.delete('/api/pattern/deploy', { body: { id } }));
      expect(await installed(namespace)).toEqual([]);
    });

    const generating = {
      password: `apiVersion: v1
kind: Secret
metadata: {name: db, namespace: {{ .Release.Namespace }}}
stringData:
  password: {{ randAlphaNum 16 }}
  length: {{ randNumeric (int .Values.length) | quote }}
  at: {{ now | unixEpoch | quote }}
`,
      lookup: `{{- $found := lookup "v1" "Secret" .Release.Namespace "kept" }}
apiVersion: v1
kind: Secret
metadata: {name: kept}
data:
  password: {{ if $found }}{{ $found.data.password }}{{ else }}{{ randAlphaNum (int .Values.length) | b64enc }}{{ end }}
`,
      history: `apiVersion: v1
kind: ConfigMap
metadata: {name: history}
data: {is: "{{ .Release.IsInstall }} {{ .Release.IsUpgrade }}", others: "{{ len (default list (lookup "v1" "Secret" "kube-system" "").items) }}"}
`,
    };
    const dataOf = async (kind: string, name: string, namespace: string): Promise<Record<string, string>> =>
      JSON.parse(await kubectl(cluster, 'get', kind, name, '-n', namespace, '-o', 'jsonpath={.data}')) as Record<string, string>; // prettier-ignore

    it('keeps what it generates for its place, whatever else changes, until that changes', async () => {
      const { admin } = world;
      await kubectl(cluster, 'create', 'secret', 'generic', 'theirs', '-n', 'kube-system', '--from-literal=a=b').catch(() => ''); // prettier-ignore
      const { id, namespace } = await scene(await hooked(generating));
      const deploy = (fields: object = {}) => done(admin.post('/api/pattern/deploy', { id, namespace, values: { length: 5 }, ...fields })); // prettier-ignore
      const plan = await done(admin.post('/api/pattern/deploy/plan', { id, namespace, values: { length: 5 } }));
      expect(plan.generated.map((each: Json) => `${each.template} ${each.function}`).sort()).toEqual([
        'templates/lookup.yaml randAlphaNum',
        'templates/password.yaml now',
        'templates/password.yaml randAlphaNum',
        'templates/password.yaml randNumeric',
      ]);
      await deploy({ values: undefined, plan_id: plan.plan_id });
      const [db, kept] = [await dataOf('secret', 'db', namespace), await dataOf('secret', 'kept', namespace)];
      expect(await dataOf('cm', 'history', namespace)).toEqual({ is: 'true false', others: '0' });
      const upgraded = await deploy();
      expect(await dataOf('cm', 'history', namespace)).toMatchObject({ is: 'false true' });
      const again = await deploy();
      expect(again.design_version).toBe(upgraded.design_version);
      expect(again.resources.map(({ action }: Json) => action)).toEqual(Array(4).fill('unchanged'));
      const longer = await deploy({ values: { length: 9 } });
      const changed = await dataOf('secret', 'db', namespace);
      expect(changed).toMatchObject({ password: db['password'], at: db['at'] });
      expect(Buffer.from(changed['length'] ?? '', 'base64').toString()).toMatch(/^\d{9}$/);
      expect(await dataOf('secret', 'kept', namespace)).toEqual(kept);
      await done(admin.post(`/api/deployments/${longer.id}/rollback`));
      expect(await dataOf('secret', 'db', namespace)).toEqual(db);
      const there = await done(admin.post('/api/pattern/deploy/plan', { id, namespace, values: { length: 5 } }));
      expect(there).toMatchObject({ generated: [], summary: { update: 0, create: 0 } });
    }, 120_000);

    it('lists the generated values that are new in the environment that it is promoted to', async () => {
      const { admin, organization } = world;
      const { id, namespace } = await scene(await hooked({ password: generating.password }));
      const deployed = await done(admin.post('/api/pattern/deploy', { id, namespace, values: { length: 5 } }));
      const [connection] = (await admin.get(`/api/environments/${environment.id}/connections`)).body
        .connections as Json[];
      const other = await done(admin.post('/api/environments', { name: 'next', organization_id: organization }));
      await done(admin.post(`/api/environments/${other.id}/connections/${connection?.id}`));
      await done(admin.post(`/api/workspaces/${workspace.id}/environments/${other.id}`));
      const plan = await done(
        admin.post('/api/pattern/deploy/plan', { id, version: deployed.design_version, environment_id: other.id, namespace: `${namespace}-next`, create_namespace: true }), // prettier-ignore
      );
      expect(plan.generated).toHaveLength(3);
      const body = { environment_id: other.id, plan_id: plan.plan_id };
      await done(admin.post(`/api/deployments/${deployed.id}/promote`, body));
      const values = await Promise.all([namespace, `${namespace}-next`].map((each) => dataOf('secret', 'db', each)));
      expect(values[0]?.['password']).not.toBe(values[1]?.['password']);
      await done(admin.delete('/api/pattern/deploy', { body: { id, environment_id: other.id } }));
      await done(admin.delete(`/api/workspaces/${workspace.id}/environments/${other.id}`));
    }, 120_000);

    it('is rendered for the version and the kinds of its cluster', async () => {
      const { admin } = world;
      const kind = `Probe${randomUUID().slice(0, 8)}`;
      const plural = `${kind.toLowerCase()}s`;
      const seen = `apiVersion: v1
kind: ConfigMap
metadata: {name: seen}
data:
  version: {{ .Capabilities.KubeVersion.Version }}
  ingress: {{ .Capabilities.APIVersions.Has "networking.k8s.io/v1/Ingress" | quote }}
  old: {{ .Capabilities.APIVersions.Has "extensions/v1beta1" | quote }}
---
{{- if .Capabilities.APIVersions.Has "${plural}.example.org/v1/${kind}" }}
apiVersion: ${plural}.example.org/v1
kind: ${kind}
metadata: {name: mine}
{{- end }}
`;
      const { id, namespace } = await scene(await hooked({ seen }));
      const first = await done(admin.post('/api/pattern/deploy', { id, namespace }));
      expect(first.resources).toHaveLength(2);
      const { gitVersion } = JSON.parse(await kubectl(cluster, 'version', '-o', 'json')).serverVersion;
      expect(await dataOf('cm', 'seen', namespace)).toEqual({ version: gitVersion, ingress: 'true', old: 'false' });
      const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.${plural}.example.org` }, spec: { group: `${plural}.example.org`, scope: 'Namespaced', names: { kind, plural }, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }] } }; // prettier-ignore
      const file = path.join(tmpdir(), `${plural}.json`);
      await writeFile(file, JSON.stringify(definition));
      await kubectl(cluster, 'create', '-f', file).finally(() => rm(file));
      await kubectl(cluster, 'wait', '--for=condition=Established', `crd/${definition.metadata.name}`);
      const second = await done(admin.post('/api/pattern/deploy', { id }));
      expect(second.resources.map((each: Json) => `${each.kind} ${each.action}`)).toContain(`${kind} create`);
      const bounds = gzipSync(
        await tarOf({
          'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\nkubeVersion: ">=1.99.0-0"\n',
          'shop/templates/settings.yaml': configMap('settings'),
        }),
      );
      const refused = await admin.upload('/api/pattern/import', 'shop.tgz', bounds, {});
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ detail: expect.stringContaining('incompatible with Kubernetes') }] } }); // prettier-ignore
      const taken = await imported(bounds, { workspace_id: workspace.id as string, kube_version: 'v1.99.1', api_versions: 'example.org/v1/Thing' }); // prettier-ignore
      const late = await admin.post('/api/pattern/deploy/plan', { id: taken.id, namespace });
      expect(late).toMatchObject({ status: 400, body: { errors: [{ detail: expect.stringContaining(`incompatible with Kubernetes ${gitVersion}`) }] } }); // prettier-ignore
    }, 120_000);

    it('is rendered for a request with what its requester may see, and for nobody without the right to request', async () => {
      const secret = '{{ lookup "v1" "Secret" .Release.Namespace "theirs" | toJson | quote }}';
      const seen = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seen}\ndata:\n  at: {{ .Release.Namespace }}\n  secret: ${secret}\n`;
      const { id, namespace } = await scene(await hooked({ seen }));
      await kubectl(cluster, 'create', 'secret', 'generic', 'theirs', '-n', namespace, '--from-literal=key=precious');
      const as = async (role: string) => {
        const person = await world.person();
        await done(world.admin.put(`/api/workspaces/${workspace.id}/members/${person.id}`, { role }));
        return person;
      };
      const [viewer, editor] = [await as('viewer'), await as('editor')];
      const versions = async () =>
        (await world.sql('SELECT number FROM design_version WHERE design_id = $1', [id])).length;
      const before = await versions();
      const request = { id, namespace, request_approval: true };
      expect((await viewer.post('/api/pattern/deploy', request)).status).toBe(403);
      expect(await versions()).toBe(before);
      const pending = await done(editor.post('/api/pattern/deploy', request));
      expect(pending).toMatchObject({
        ...{ status: 'pending_approval', plan_id: expect.any(String) },
        warnings: [
          expect.stringContaining(`${namespace}/theirs was not looked up, because this design does not own it`),
        ],
      });
      const rendered = await done(world.admin.get(`/api/pattern/${id}/versions/${pending.design_version}`));
      expect(rendered.pattern_file).toContain('seen');
      expect(rendered.pattern_file).not.toContain(Buffer.from('precious').toString('base64'));
      await done(editor.post(`/api/deployments/${pending.id}/cancel`));

      // What it has read stays with the workspace for which it was rendered, also when the design moves to another.
      const other = await done(
        world.admin.post('/api/workspaces', { name: randomUUID(), organization_id: world.organization }),
      );
      const newcomer = await world.person();
      await done(world.admin.put(`/api/workspaces/${other.id}/members/${newcomer.id}`, { role: 'editor' }));
      await done(world.admin.post(`/api/workspaces/${other.id}/designs/${id}`));
      const version = pending.design_version as number;
      expect(version).toBeGreaterThan(1);
      const path = `/api/pattern/${id}/versions`;
      expect((await newcomer.get(`${path}/1`)).status).toBe(200);
      for (const refused of [
        await newcomer.get(`${path}/${version}`),
        await newcomer.get(`/api/pattern/${id}/diff?from=1&to=${version}`),
        await newcomer.post('/api/pattern/deploy/plan', { id, version, namespace, environment_id: environment.id }),
      ])
        expect([403, 404]).toContain(refused.status);
      expect((await newcomer.get(`${path}/${version}`)).body.code).toBe('FORBIDDEN');
      expect((await world.admin.get(`${path}/${version}`)).status).toBe(200);
    }, 60_000);

    it('has a revision of its own also while another one waits or runs', async () => {
      const seen = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seen}\ndata: {revision: "at {{ .Release.Revision }}"}\n`;
      const { id, namespace } = await scene(await hooked({ seen }));
      await done(world.admin.post('/api/pattern/deploy', { id, namespace }));
      for (const revision of [2, 3]) {
        const { design_version } = await done(world.admin.post('/api/pattern/deploy?async=true', { id }));
        const { pattern_file } = await done(world.admin.get(`/api/pattern/${id}/versions/${design_version}`));
        expect(pattern_file).toContain(`at ${revision}`);
      }
    }, 60_000);

    it('stays where it is deployed when one of its components is edited', async () => {
      const { admin } = world;
      const { id, namespace } = await scene(await hooked({ password: generating.password.replace('(int .Values.length)', '5') })); // prettier-ignore
      await done(admin.post('/api/pattern/deploy', { id, namespace }));
      const { body } = await admin.get(`/api/pattern/download/${id}?export=json`);
      const design = typeof body === 'string' ? JSON.parse(body) : body;
      expect(JSON.stringify(design.components)).not.toContain('"namespace"');
      design.components.find((each: Json) => each.displayName === 'settings').configuration.data = { a: 'edited' };
      await done(admin.put('/api/pattern/design', { id, pattern_data: { design_file: design } }));
      const deployed = await done(admin.post('/api/pattern/deploy', { id }));
      expect(deployed.resources.map((each: Json) => [each.name, each.namespace, each.action]).sort()).toEqual([
        ['db', namespace, 'update'],
        ['settings', namespace, 'update'],
      ]);
    }, 120_000);

    it('stays the version that it is when it does not name its namespace', async () => {
      const { admin } = world;
      const { id, namespace } = await scene(await hooked({}));
      const deployed = await done(admin.post('/api/pattern/deploy', { id, namespace }));
      expect(deployed.design_version).toBe(1);
      expect(await installed(namespace)).toEqual(['settings']);
    });

    it('shares a definition of its crds/ with another release, and never changes or deletes it', async () => {
      const { admin } = world;
      const group = `shared-${randomUUID().slice(0, 8)}.example.com`;
      const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`;
      const chart = async (name: string): Promise<Buffer> =>
        gzipSync(
          await tarOf({
            'shop/Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.2.3\n`,
            'shop/crds/thing.yaml': definition,
            'shop/templates/own.yaml': configMap(name),
          }),
        );
      const [first, second] = [await scene(await chart('first')), await scene(await chart('second'))];
      const live = (): Promise<string> =>
        kubectl(cluster, 'get', 'crd', `things.${group}`, '-o', 'jsonpath={.metadata.uid} {.metadata.generation} {.metadata.labels}'); // prettier-ignore
      const deploy = async (at: object): Promise<string[]> =>
        actionsOf(await done(admin.post('/api/pattern/deploy', at))).sort();
      expect(await deploy(first)).toEqual([
        'ConfigMap first applied',
        `CustomResourceDefinition things.${group} applied`,
      ]);
      const made = await live();
      expect(made).toMatch(/^\S+ 1$/);
      const plan = await done(admin.post('/api/pattern/deploy/plan', second));
      expect(plan).toMatchObject({ deployable: true, summary: { create: 1, unchanged: 1 } });
      expect(plan.resources.find(({ kind }: Json) => kind === 'CustomResourceDefinition').warnings).toEqual([
        'The definition is on the cluster already, and is used as it is',
      ]);
      expect(await deploy(second)).toEqual(['ConfigMap second applied', `CustomResourceDefinition things.${group} unchanged`]); // prettier-ignore
      expect(await deploy(first)).toEqual(['ConfigMap first unchanged', `CustomResourceDefinition things.${group} unchanged`]); // prettier-ignore
      expect((await done(admin.get(`/api/pattern/${first.id}/drift`))).status).toBe('in_sync');

      const undeployed = await done(admin.delete('/api/pattern/deploy', { body: { id: second.id } }));
      expect(undeployed.status).toBe('undeployed');
      const kept = [{ resource: { kind: 'CustomResourceDefinition', namespace: null, name: `things.${group}` } }];
      expect(undeployed.kept).toMatchObject(kept);
      const pattern_data = { pattern_file: configMap('first') };
      await done(admin.put('/api/pattern/kubernetes', { id: first.id, pattern_data }));
      const pruned = await done(admin.post('/api/pattern/deploy', first));
      expect(pruned.kept).toMatchObject(kept);
      expect((await done(admin.post('/api/pattern/deploy/plan', first))).kept).toMatchObject(kept);
      expect((await done(admin.delete('/api/pattern/deploy', { body: { id: first.id } }))).kept).toMatchObject(kept);
      expect(await live()).toBe(made);
      await kubectl(cluster, 'delete', 'crd', `things.${group}`);
      expect((await done(admin.post('/api/pattern/deploy/plan', first))).kept).toEqual([]);
    }, 120_000);

    it('has its hooks run in their phases, and those for tests never', async () => {
      const { admin } = world;
      const maps = { settings: undefined, both: 'post-delete, pre-install', ...Object.fromEntries(EVENTS.map((event) => [event, event])) }; // prettier-ignore
      const { id, namespace } = await scene(await chartOf(maps));
      const plan = await done(admin.post('/api/pattern/deploy/plan', { id, namespace }));
      expect(plan.resources.map(({ name, action }: Json) => `${name} ${action}`)).toEqual(['settings create']);
      expect(plan.hooks.map(({ phase, name, verified }: Json) => [phase, name, verified])).toEqual([
        ['pre-install', 'both', true],
        ['pre-install', 'pre-install', true],
        ['post-install', 'post-install', true],
      ]);
      const deployed = await done(admin.post('/api/pattern/deploy', { id, plan_id: plan.plan_id }));
      expect(actionsOf(deployed)).toEqual([
        'ConfigMap both pre-install ready',
        'ConfigMap pre-install pre-install ready',
        'ConfigMap settings applied',
        'ConfigMap post-install post-install ready',
      ]);
      expect(await installed(namespace)).toEqual(['both', 'post-install', 'pre-install', 'settings']);
      const again = await done(admin.post('/api/pattern/deploy', { id, namespace }));
      expect(actionsOf(again)).toEqual([
        'ConfigMap pre-upgrade pre-upgrade ready',
        'ConfigMap settings unchanged',
        'ConfigMap post-upgrade post-upgrade ready',
      ]);
      const undeployed = await done(admin.delete('/api/pattern/deploy', { body: { id } }));
      expect(actionsOf(undeployed).filter((line) => line.includes('-delete '))).toEqual([
        'ConfigMap pre-delete pre-delete ready',
        'ConfigMap both post-delete ready',
        'ConfigMap post-delete post-delete ready',
      ]);
      expect(await installed(namespace)).toEqual([]);
    }, 120_000);

    it('is upgraded and rolled back any number of times with jobs before and after, by weight', async () => {
      const { admin } = world;
      const at = (phase: string, weight: number, policy = '') =>
        `helm.sh/hook: ${phase}, helm.sh/hook-weight: "${weight}"${policy && `, helm.sh/hook-delete-policy: ${policy}`}`;
      const { id, namespace } = await scene(
        await hooked({
          second: job('a-second', at('"pre-install,pre-upgrade,pre-rollback"', 5)),
          first: job('b-first', at('"pre-install,pre-upgrade"', -5, 'hook-succeeded')),
          last: job('c-last', at('"post-install,post-upgrade"', 0, '"before-hook-creation,hook-succeeded"')),
        }),
      );
      const jobs = () => kubectl(cluster, 'get', 'jobs', '-n', namespace, '-o', 'jsonpath={.items[*].metadata.name}');
      let uid = '';
      for (const phase of ['install', 'upgrade', 'upgrade']) {
        const deployed = await done(admin.post('/api/pattern/deploy', { id, namespace }));
        expect(actionsOf(deployed)).toEqual([
          `Job b-first pre-${phase} ready`,
          `Job a-second pre-${phase} ready`,
          `ConfigMap settings ${phase === 'install' ? 'applied' : 'unchanged'}`,
          `Job c-last post-${phase} ready`,
        ]);
        expect(await jobs()).toBe('a-second');
        const now = await kubectl(cluster, 'get', 'job', 'a-second', '-n', namespace, '-o', 'jsonpath={.metadata.uid}');
        expect(now).not.toBe(uid);
        uid = now;
      }
      const plain = (await hooked({})).toString('base64');
      await done(admin.put('/api/pattern/helm', { id, pattern_data: { pattern_file: plain } }));
      const upgraded = await done(admin.post('/api/pattern/deploy', { id }));
      expect(actionsOf(upgraded)).toEqual(['ConfigMap settings unchanged']);
      const back = await done(admin.post(`/api/deployments/${upgraded.id}/rollback`));
      expect(actionsOf(back)).toEqual(['Job a-second pre-rollback ready', 'ConfigMap settings unchanged']);
      await done(admin.delete('/api/pattern/deploy', { body: { id } }));
      expect(await jobs()).toBe('');
    }, 240_000);

    it('fails as a whole with a hook that fails, and takes back what was done', async () => {
      const { admin } = world;
      const { id, namespace } = await scene(
        await hooked({ check: job('check', 'helm.sh/hook: post-install', 'crash') }),
      );
      const failed = await admin.post('/api/pattern/deploy', { id, namespace });
      expect(failed).toMatchObject({
        status: 422,
        body: {
          code: 'DEPLOYMENT_FAILED',
          errors: [
            {
              keyword: 'HOOK_FAILED',
              detail: expect.stringMatching(/^Job .+\/check: The hook post-install failed: BackoffLimitExceeded/),
            },
          ],
          deployment: { status: 'rolled_back' },
        },
      });
      expect(await installed(namespace)).toEqual([]);
      expect(await kubectl(cluster, 'get', 'jobs', '-n', namespace, '-o', 'name')).toBe('');
    }, 120_000);

    it('never deletes what others have by the name of a hook', async () => {
      const { admin } = world;
      const { id, namespace } = await scene(await chartOf({ settings: undefined, theirs: 'pre-install' }));
      await kubectl(cluster, 'create', 'cm', 'theirs', '-n', namespace, '--from-literal=a=theirs');
      const failed = await admin.post('/api/pattern/deploy', { id, namespace });
      expect(failed.body.errors).toMatchObject([{ keyword: 'NOT_OWNED' }]);
      expect(await kubectl(cluster, 'get', 'cm', 'theirs', '-n', namespace, '-o', 'jsonpath={.data.a}')).toBe('theirs');
      expect(await installed(namespace)).toEqual([]);
    }, 120_000);

    it('can be undeployed though its hook fails, and when its namespace is gone', async () => {
      const { admin } = world;
      const chart = await hooked({ last: job('last', 'helm.sh/hook: pre-delete', 'crash') });
      const { id, namespace } = await scene(chart);
      await done(admin.post('/api/pattern/deploy', { id, namespace }));
      expect((await admin.delete('/api/pattern/deploy', { body: { id } })).status).toBe(422);
      expect(await installed(namespace)).toEqual(['settings']);
      const { status } = await done(admin.delete('/api/pattern/deploy', { body: { id, skip_hooks: true } }));
      expect(status).toBe('undeployed');
      expect(await kubectl(cluster, 'get', 'jobs', '-n', namespace, '-o', 'name')).toBe('');

      await done(admin.post('/api/pattern/deploy', { id, namespace }));
      await kubectl(cluster, 'delete', 'namespace', namespace);
      expect((await done(admin.delete('/api/pattern/deploy', { body: { id } }))).status).toBe('undeployed');
    }, 240_000);

    it('has what was deployed before pruned when it becomes a hook that is left out', async () => {
      const namespace = `h${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'namespace', namespace);
      const before = await chartOf({ settings: undefined, check: undefined });
      const { id } = await imported(before, { workspace_id: workspace.id as string });
      await done(world.admin.post('/api/pattern/deploy', { id, namespace }));
      expect(await installed(namespace)).toEqual(['check', 'settings']);

      const after = (await chartOf({ settings: undefined, check: 'test' })).toString('base64');
      await done(world.admin.put('/api/pattern/helm', { id, pattern_data: { pattern_file: after } }));
      const plan = await done(world.admin.post('/api/pattern/deploy/plan', { id, namespace }));
      expect(plan.summary).toMatchObject({ create: 0, update: 0, prune: 1, unchanged: 1 });
      expect(plan.resources).toContainEqual(expect.objectContaining({ name: 'check', action: 'prune' }));
      await done(world.admin.post('/api/pattern/deploy', { id, plan_id: plan.plan_id }));
      expect(await installed(namespace)).toEqual(['settings']);
      await done(world.admin.delete('/api/pattern/deploy', { body: { id } }));
    }, 120_000);

    const CHART = {
      'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
      'shop/values.yaml': 'colour: blue\nsize: {width: 1, height: 1}\n',
      'shop/templates/settings.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {{ dict "colour" .Values.colour "size" (printf "%vx%v" .Values.size.width .Values.size.height) | toJson }}\n',
    };

    it('is deployed with values over its own, and stays what it is', async () => {
      const { admin } = world;
      const namespace = `v${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'namespace', namespace);
      const data = async (): Promise<Json> =>
        JSON.parse(await kubectl(cluster, 'get', 'cm', 'settings', '-n', namespace, '-o', 'jsonpath={.data}'));
      const chart = gzipSync(await tarOf(CHART));
      const { id } = await imported(chart, { workspace_id: workspace.id as string, values: 'size: {width: 2}' });
      const deploy = (fields: object) => admin.post('/api/pattern/deploy', { id, namespace, ...fields });
      expect(await done(deploy({}))).toMatchObject({ status: 'succeeded', design_version: 1 });
      expect(await data()).toEqual({ colour: 'blue', size: '2x1' });

      expect(await done(deploy({ values: { colour: 'red' } }))).toMatchObject({
        status: 'succeeded',
        design_version: 2,
      });
      expect(await data()).toEqual({ colour: 'red', size: '2x1' });
      expect((await done(deploy({ values: 'colour: red' }))).design_version).toBe(2);
      expect((await done(deploy({ values: { colour: 'blue' } }))).design_version).toBe(3);
      expect((await done(deploy({ values: { colour: 'red' } }))).design_version).toBe(2);
      expect((await done(deploy({ values: {} }))).design_version).toBe(1);
      expect(await data()).toEqual({ colour: 'blue', size: '2x1' });
      expect(await done(admin.get(`/api/pattern/${id}`))).toMatchObject({ version_number: 1, version: '0.0.1' });
      const { versions } = await done(admin.get(`/api/pattern/${id}/versions`));
      expect(versions).toMatchObject([
        { number: 3, variant_of: 1, current: false },
        { number: 2, variant_of: 1, message: 'Version 1 with the values of a deployment' },
        { number: 1, variant_of: null, current: true },
      ]);

      const plan = await done(
        admin.post('/api/pattern/deploy/plan', { id, namespace, values: { size: { height: 9 } } }),
      );
      expect(plan.resources).toMatchObject([
        { name: 'settings', action: 'update', diff: [{ path: '/data/size', from: '2x1', to: '2x9' }] },
      ]);
      expect(await deploy({ plan_id: plan.plan_id, values: {} })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/values' }] },
      });
      expect(await deploy({ plan_id: plan.plan_id, version: 2 })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/version' }] },
      });
      const planned = await done(deploy({ plan_id: plan.plan_id, version: 1 }));
      expect(planned).toMatchObject({ status: 'succeeded', design_version: 4 });
      expect(await data()).toEqual({ colour: 'blue', size: '2x9' });

      const back = await done(admin.post(`/api/deployments/${planned.id}/rollback`, { version: 2 }));
      expect(back).toMatchObject({ status: 'succeeded', design_version: 2 });
      expect(await data()).toEqual({ colour: 'red', size: '2x1' });
      const changed = await done(admin.put('/api/pattern/helm', { id, pattern_data: { values: { colour: 'green' } } }));
      expect(changed).toMatchObject({ version_number: 5, version: '0.0.5' });
      expect(await done(admin.get(`/api/pattern/${id}/diff`))).toMatchObject({ from: 1, to: 5 });
      const racing = await Promise.all([
        ...[1, 2, 3].map((width) =>
          admin.post('/api/pattern/deploy/plan', { id, namespace, values: { size: { width } } }),
        ),
        admin.put('/api/pattern/helm', { id, pattern_data: { values: { colour: 'black' } } }),
      ]);
      expect(racing.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await done(admin.delete('/api/pattern/deploy', { body: { id } }));
    }, 120_000);

    it('is promoted with the values that it was deployed with, and others over them', async () => {
      const { admin, organization } = world;
      const name = randomUUID().slice(0, 8);
      const [from, to] = [`f${name}`, `t${name}`];
      for (const namespace of [from, to]) await kubectl(cluster, 'create', 'namespace', namespace);
      const connections = (await done(admin.get(`/api/environments/${environment.id}/connections`))).connections;
      const live = await done(admin.post('/api/environments', { name: 'live', organization_id: organization }));
      await done(admin.post(`/api/environments/${live.id}/connections/${connections[0].id}`));
      await done(admin.post(`/api/workspaces/${workspace.id}/environments/${live.id}`));
      const { id } = await imported(gzipSync(await tarOf(CHART)), { workspace_id: workspace.id as string });
      const source = await done(
        admin.post('/api/pattern/deploy', {
          ...{ id, environment_id: environment.id, namespace: from, values: { colour: 'red' } },
        }),
      );
      await done(admin.put('/api/pattern/helm', { id, pattern_data: { values: { colour: 'black' } } }));
      const data = async (namespace: string): Promise<Json> =>
        JSON.parse(await kubectl(cluster, 'get', 'cm', 'settings', '-n', namespace, '-o', 'jsonpath={.data}'));
      const promote = (fields: object): Promise<Json> =>
        done(
          admin.post(`/api/deployments/${source.id}/promote`, { environment_id: live.id, namespace: to, ...fields }),
        );

      const plan = await done(
        admin.post('/api/pattern/deploy/plan', {
          ...{ id, version: source.design_version, environment_id: live.id, namespace: to },
        }),
      );
      const planned = await promote({ plan_id: plan.plan_id, namespace: undefined });
      expect(planned).toMatchObject({ design_version: source.design_version, promoted_from: source.id });
      expect(await data(to)).toEqual(await data(from));
      expect(await data(to)).toMatchObject({ colour: 'red' });
      const varied = await promote({ values: { size: { width: 9 } } });
      expect(varied).toMatchObject({ status: 'succeeded', promoted_from: source.id });
      expect(await data(to)).toMatchObject({ colour: 'red', size: expect.stringMatching(/^9x/) });
      expect(await data(from)).not.toMatchObject({ size: expect.stringMatching(/^9x/) });
      for (const place of [live.id, environment.id])
        await done(admin.delete('/api/pattern/deploy', { body: { id, environment_id: place } }));
    }, 120_000);

    it('says what is wrong with values, and changes nothing', async () => {
      const { admin } = world;
      const { id } = await imported(gzipSync(await tarOf(CHART)), { workspace_id: workspace.id as string });
      const plan = (fields: object) =>
        admin.post('/api/pattern/deploy/plan', { id, environment_id: environment.id, ...fields });
      expect((await plan({ values: 'a: [' })).body).toMatchObject({
        status: 400,
        errors: [{ file: 'values', line: 1 }],
      });
      expect((await plan({ values: [1] })).body).toMatchObject({ status: 400, errors: [{ pointer: '/values' }] });
      expect((await plan({ values: { size: 7 } })).status).toBe(400);
      expect((await plan({ version: 2 })).status).toBe(404);
      expect((await done(admin.get(`/api/pattern/${id}/versions`))).total_count).toBe(1);
      const plain = await done(
        admin.post('/api/pattern', {
          name: 'plain',
          pattern_data: { pattern_file: configMap('a') },
          workspace_id: workspace.id,
        }),
      );
      expect(
        (
          await admin.post('/api/pattern/deploy/plan', {
            id: plain.id,
            environment_id: environment.id,
            values: { a: 1 },
          })
        ).body,
      ).toMatchObject({
        status: 400,
        errors: [{ pointer: '/values', detail: 'are for designs of a Helm chart' }],
      });
    });
  });
});
