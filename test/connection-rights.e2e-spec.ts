import { randomUUID } from 'node:crypto';
import { parseAllDocuments } from 'yaml';
import { followManifest } from './support/access-manifest.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { done, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const CONNECTIONS = '/api/integrations/connections';

requires('KUBEBUILDER_ASSETS', 'the rights of a connection', () => {
  let world: World;
  let cluster: Cluster;
  let admin: Json;

  const register = async (kubeconfig: string): Promise<Json> =>
    (await done(world.admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig }))).connected[0];
  const rights = (id: string, query = ''): Promise<Json> =>
    done(world.admin.get(`${CONNECTIONS}/${id}/rights?${query}`));
  const missingOf = ({ rights: listed }: Json): string[] =>
    listed
      .filter((each: Json) => each.missing_verbs.length > 0)
      .map((each: Json) => `${each.api_group}/${each.resource}`);

  const follow = (query: string): Promise<string> => followManifest(world.admin, cluster, admin.connection_id, query);

  /** Whether the service account of a manifest may do this. */
  const mayDo = async (account: string, ...what: string[]): Promise<boolean> => {
    const as = ['--as', `system:serviceaccount:armature:${account}`];
    return (await kubectl(cluster, 'auth', 'can-i', ...what, ...as).catch(() => 'no')) === 'yes';
  };

  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start(), sharedCluster()]);
    admin = await register(cluster.kubeconfig);
  }, 120_000);
  afterAll(async () => {
    await world.stop();
  });

  it('are all there for an administrator, and none for nobody, which is reported at the registration', async () => {
    const { user, purposes } = await rights(admin.connection_id);
    expect(user.groups).toContain('system:masters');
    expect(purposes.map(({ for: purpose, allowed }: Json) => [purpose, allowed])).toEqual([
      ['deploy', true],
      ['watch', true],
      ['operator', true],
    ]);
    expect(admin.missing_rights).toEqual([]);
    const nobody = await register(cluster.kubeconfigNobody);
    expect(nobody.missing_rights).toContainEqual({
      for: 'watch',
      api_group: 'apps',
      resource: 'deployments',
      missing_verbs: ['get', 'list', 'watch'],
      consequence: expect.stringContaining('not in the lists'),
    });
    const { purposes: none } = await rights(nobody.connection_id, 'for=deploy');
    expect(none).toMatchObject([{ for: 'deploy', allowed: false }]);
    expect(missingOf(none[0])).toHaveLength(none[0].rights.length);
  });

  it('to deploy and to watch come with a manifest: enough for both, and no more', async () => {
    const kubeconfig = await follow('for=deploy,watch');
    const limited = await register(kubeconfig);
    const { user, purposes } = await rights(limited.connection_id);
    expect(user.username).toBe('system:serviceaccount:armature:armature-deploy-watch');
    expect(Object.fromEntries(purposes.map((each: Json) => [each.for, missingOf(each).length === 0]))).toEqual({
      deploy: true,
      watch: true,
      operator: false,
    });
    const [{ optional_rights }] = purposes;
    expect(optional_rights.map(({ resource }: Json) => resource)).toContain('customresourcedefinitions');
    expect(new Set(limited.missing_rights.map((each: Json) => each.for))).toEqual(new Set(['operator']));

    const namespace = `rights-${randomUUID().slice(0, 8)}`;
    const scene = await WorkspaceScene.make(world, await peopleOf(world));
    const environment = await scene.environment();
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${limited.connection_id}`));
    const objects = [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data: { colour: 'blue' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace }, stringData: { key: 'value' } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'reader', namespace },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] },
          },
        },
      },
    ];
    const content = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const design = await done(
      world.admin.upload('/api/pattern/import', 'app.yaml', content, { workspace_id: scene.id }),
    );
    const target = { id: design.id, environment_id: environment.id };
    expect(await world.admin.post('/api/pattern/deploy', target)).toMatchObject({
      status: 200,
      body: { status: 'succeeded' },
    });
    const planned = await done(world.admin.post('/api/pattern/deploy/plan', target));
    expect(planned.resources.map((each: Json) => each.action)).toEqual(objects.map(() => 'unchanged'));
    const { status, body } = await world.admin.delete('/api/pattern/deploy', { body: target });
    expect({ status, errors: (body.deployment ?? body).resources.filter((each: Json) => each.error) }).toEqual({
      status: 200,
      errors: [],
    });
    const left = await kubectl(cluster, 'get', 'namespace', namespace, '--ignore-not-found', '-o', 'name');
    expect(left).toBe('');

    const beyond = [
      ['create', 'pods', '--subresource=exec'],
      ['patch', 'nodes'],
      ['create', 'mutatingwebhookconfigurations'],
      ['impersonate', 'users'],
      ['escalate', 'clusterroles'],
      ['create', 'serviceaccounts', '--subresource=token'],
      ['create', 'customresourcedefinitions'],
      ['create', 'clusterroles'],
      ['delete', 'clusterrolebindings'],
      ['list', 'nodes.metrics.k8s.io'],
      ['*', '*'],
    ];
    for (const what of beyond) expect([what, await mayDo('armature-deploy-watch', ...what)]).toEqual([what, false]);
  }, 240_000);

  it('to watch alone show no Secret, and those of one namespace end there', async () => {
    await follow('for=watch');
    expect(await mayDo('armature-watch', 'list', 'pods', '-A')).toBe(true);
    expect(await mayDo('armature-watch', 'list', 'secrets', '-A')).toBe(false);
    expect(await mayDo('armature-watch', 'patch', 'deployments', '-A')).toBe(false);
    const namespace = `rights-${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    const local = await register(await follow(`for=deploy&namespace=${namespace}`));
    expect((await rights(local.connection_id, `for=deploy&namespace=${namespace}`)).purposes[0].allowed).toBe(true);
    expect((await rights(local.connection_id, 'for=deploy')).purposes[0].allowed).toBe(false);
    expect(await mayDo('armature-deploy', 'create', 'configmaps', '-n', 'default')).toBe(false);
    await kubectl(cluster, 'delete', 'namespace', namespace, '--wait=false');
  }, 120_000);

  it('to deploy the designs of a workspace are those to its kinds, own ones included, in the namespaces named', async () => {
    const scene = await WorkspaceScene.make(world, await peopleOf(world));
    const [home, other, word] = ['home', 'other', 'kind'].map((name) => `${name}-${randomUUID().slice(0, 8)}`) as [
      string,
      string,
      string,
    ];
    for (const namespace of [home, other]) await kubectl(cluster, 'create', 'namespace', namespace);
    const group = `${word}.example.org`;
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `oxen.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind: 'Ox', plural: 'oxen', singular: 'ox', listKind: 'OxList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    };
    const objects = [
      definition,
      { apiVersion: `${group}/v1`, kind: 'Ox', metadata: { name: 'first', namespace: home }, spec: { weight: 900 } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: home }, stringData: { key: 'value' } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: home, labels: { team: 'oxen' } } },
    ];
    const content = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const design = await done(
      world.admin.upload('/api/pattern/import', 'oxen.yaml', content, { workspace_id: scene.id }),
    );
    const query = `for=deploy&namespaces=${home}&workspace_id=${scene.id}`;
    const { body: document } = await world.admin.get(`${CONNECTIONS}/${admin.connection_id}/manifest?${query}`);
    expect(document).toContain(`# in the namespace ${home}:`);
    expect(document).toContain(`get, list, create, patch, delete: oxen.${group} (to apply,`);
    expect(document).toContain('get, create, patch, delete: secrets (');
    expect(document).toContain(`get, patch: namespaces named ${home} (`);
    expect(document).toContain('can read and replace every Secret of these namespaces');
    expect(document).not.toContain('deployments');

    // Names in a design add no document to the manifest, and no rule about something else than its own kinds.
    const hostile = await WorkspaceScene.make(world, await peopleOf(world));
    const binding = '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding"}';
    const named = (fields: object) => ({ ...definition, spec: { ...definition.spec, ...fields } });
    const components = [
      named({ names: { kind: 'Ox', plural: `x\n---\n${binding}\n---\n#` } }),
      named({ group: '*', names: { kind: 'Any', plural: '*' } }),
      named({ group: '', names: { kind: 'ConfigMap', plural: 'secrets' } }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
      { apiVersion: '*/v1', kind: 'Any', metadata: { name: 'b' } },
      { apiVersion: `${group}/v1`, kind: `X\u2028---\u2028${binding}`, metadata: { name: 'c' } },
    ].map(({ apiVersion, kind, metadata, ...configuration }) => ({
      ...{ component: { kind, version: apiVersion }, model: { name: 'kubernetes' }, displayName: metadata.name },
      configuration: { metadata, ...configuration },
    }));
    const file = { name: 'hostile', schemaVersion: 'designs.meshery.io/v1beta1', components };
    await done(
      world.admin.post('/api/pattern', {
        name: 'hostile',
        workspace_id: hostile.id,
        pattern_data: { design_file: file },
      }),
    );
    const asked = `for=deploy&namespaces=${home}&workspace_id=${hostile.id}`;
    const { body: text } = await world.admin.get(`${CONNECTIONS}/${admin.connection_id}/manifest?${asked}`);
    const documents = parseAllDocuments(text as string).map((each) => each.toJS());
    expect(documents.filter((each) => each?.roleRef).map((each) => each.roleRef.name)).not.toContain('cluster-admin');
    expect(documents.filter((each) => each?.kind === 'ClusterRoleBinding' && !each.roleRef)).toEqual([]);
    const rules = documents.flatMap((each) => (each?.rules ?? []) as Json[]);
    expect(rules.flatMap((rule) => [...(rule.apiGroups ?? []), ...(rule.resources ?? [])])).not.toContain('*');
    expect(rules.filter((rule) => rule.resources?.includes('secrets'))).toEqual([]);
    expect(rules.some((rule) => rule.resources?.includes('configmaps'))).toBe(true);

    const local = await register(await follow(query));
    const environment = await scene.environment();
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${local.connection_id}`));
    const target = { id: design.id, environment_id: environment.id, adopt: true };
    expect(await world.admin.post('/api/pattern/deploy', target)).toMatchObject({
      status: 200,
      body: { status: 'succeeded' },
    });
    const planned = await done(world.admin.post('/api/pattern/deploy/plan', target));
    expect(planned.resources.map((each: Json) => each.action)).toEqual(objects.map(() => 'unchanged'));

    const may = (...what: string[]) => mayDo('armature-deploy', ...what);
    expect(await may('create', `oxen.${group}`, '-n', home)).toBe(true);
    expect(await may('patch', `namespace/${home}`)).toBe(true);
    for (const what of [
      ['create', `oxen.${group}`, '-n', other],
      ['get', 'secrets', '-n', other],
      ['list', 'secrets', '-n', home],
      ['create', 'pods', '-n', home],
      ['create', 'deployments.apps', '-n', home],
      ['patch', `namespace/${other}`],
      ['create', 'namespaces'],
      ['delete', `namespace/${home}`],
      ['create', 'clusterroles'],
      ['list', 'nodes'],
    ])
      expect([what, await may(...what)]).toEqual([what, false]);

    await kubectl(cluster, 'delete', 'crd', `oxen.${group}`, '--wait=false');
    for (const namespace of [home, other]) await kubectl(cluster, 'delete', 'namespace', namespace, '--wait=false');

    const outsider = await world.outsider();
    const foreign = await done(outsider.post('/api/workspaces', { name: 'x', organization_id: outsider.organization }));
    for (const [given, expected] of [
      [`workspace_id=${foreign.id}`, 404],
      [`workspace_id=${randomUUID()}`, 404],
      ['workspace_id=x', 400],
      ['namespaces=a,,b', 400],
      ['namespaces=A', 400],
    ] as const)
      expect([
        given,
        (await world.admin.get(`${CONNECTIONS}/${admin.connection_id}/manifest?${given}`)).status,
      ]).toEqual([given, expected]);
  }, 240_000);

  it('are refused where the question is wrong, or the connection none to a cluster that answers', async () => {
    const make = async (fields: object): Promise<string> =>
      (await done(world.admin.post(CONNECTIONS, { name: 'x', organization_id: world.organization, ...fields }))).id;
    const away = await make({ kind: 'kubernetes', metadata: { server: "https://127.0.0.1:9/a'b" } });
    const metrics = await make({ kind: 'prometheus', metadata: { url: 'http://127.0.0.1:9' } });
    const ask = async (path: string): Promise<unknown[]> => {
      const { status, body } = await world.admin.get(`${CONNECTIONS}/${path}`);
      return [status, body.code];
    };
    expect(await ask(`${admin.connection_id}/rights?for=everything`)).toEqual([400, 'VALIDATION_FAILED']);
    expect(await ask(`${admin.connection_id}/manifest?for=everything`)).toEqual([400, 'VALIDATION_FAILED']);
    expect(await ask(`${admin.connection_id}/manifest?namespace=a;b`)).toEqual([400, 'VALIDATION_FAILED']);
    expect(await ask(`${metrics}/rights`)).toEqual([400, 'CONNECTION_KIND_MISMATCH']);
    const { body: wrong } = await world.admin.get(`${CONNECTIONS}/${metrics}/rights`);
    expect(wrong.errors).toEqual([{ pointer: 'id', detail: 'is of kind prometheus, not kubernetes' }]);
    expect(await ask(`${metrics}/manifest?for=deploy`)).toEqual([400, 'CONNECTION_KIND_MISMATCH']);
    expect(await ask(`${away}/rights`)).toEqual([502, 'CLUSTER_UNREACHABLE']);
    const { body } = await world.admin.get(`${CONNECTIONS}/${away}/manifest`);
    expect(body).toContain(`--server 'https://127.0.0.1:9/a'\\''b'`);
  });
});
