import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidRequest } from '../src/core/errors/app-error.js';
import { asObject, asText, type JsonObject } from '../src/core/json/json.js';
import { Design } from '../src/designs/design.entity.js';
import { SealedValuesService } from '../src/designs/sealed-values.service.js';
import { filesIn } from '../src/designs/formats/archive.fixture.js';
import { resourceIdentity } from '../src/formats/design-file/design-component.js';
import { parseDocuments } from '../src/formats/documents/parse-documents.js';
import { isBuiltIn } from '../src/validation/native/built-in-groups.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { ClusterProxy } from './support/cluster-proxy.js';
import { clusterClient } from './support/deployment-scene.js';
import { kubectl } from './support/kubectl.js';
import type { Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { testRunFolder } from './support/test-run.js';
import { until } from './support/until.js';
import { done, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const PASSWORD = 'correct-horse-battery';

const POD = {
  serviceAccountName: 'web',
  tolerations: [{ operator: 'Exists' }],
  containers: [
    {
      name: 'app',
      image: 'app:1',
      ports: [{ containerPort: 8080 }],
      envFrom: [{ configMapRef: { name: 'web' } }],
      env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'web', key: 'password' } } }],
      readinessProbe: { httpGet: { path: '/', port: 8080 } },
    },
  ],
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'web' } }],
};

/** An application of most kinds that refer to one another. */
const web: object[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { COLOUR: 'blue' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' }, stringData: { password: PASSWORD } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web' } },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'web' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'web-reads' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'web' }],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { tier: 'front' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { run: 'web' } },
      template: { metadata: { labels: { run: 'web' } }, spec: POD },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { run: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'front' },
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'scaler' },
    spec: {
      minReplicas: 1,
      maxReplicas: 2,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    },
  },
];

/** Another one, and what belongs to neither. */
const others: object[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', labels: { 'app.kubernetes.io/instance': 'store' } },
    spec: {
      serviceName: 'db-peers',
      selector: { matchLabels: { run: 'db' } },
      template: {
        metadata: { labels: { run: 'db' } },
        spec: { tolerations: POD.tolerations, containers: [{ name: 'db', image: 'db' }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'db-peers' },
    spec: { clusterIP: 'None', selector: { run: 'db' }, ports: [{ port: 5432 }] },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: {
      schedule: '0 3 * * *',
      jobTemplate: {
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'job', image: 'job:latest' }] } },
        },
      },
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'deny-all' },
    spec: { podSelector: {}, policyTypes: ['Ingress'] },
  },
];

/** Folders of the corpus whose applications are adopted; `ADOPTED=all` takes each. */
const ADOPTED = process.env['ADOPTED'] ?? 'dockersamples__example-voting-app,GoogleCloudPlatform__microservices-demo';

/** The resources of all manifests below a folder, each once. */
function objectsIn(folder: string): JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const [path, bytes] of Object.entries(filesIn(folder, '.'))) {
    if (!/\.ya?ml$/.test(path)) continue;
    try {
      for (const { object } of parseDocuments({ path, bytes })) {
        if (!object || asText(asObject(object['metadata'])['name']) === '') continue;
        const identity = resourceIdentity({
          ...object,
          metadata: { name: asObject(object['metadata'])['name'] ?? '' },
        });
        if (!found.has(identity)) found.set(identity, object);
      }
    } catch (error) {
      // A template of a chart, say, is no manifest.
      if (!(error instanceof InvalidRequest)) throw error;
    }
  }
  return [...found.values()];
}

const ARGO = 'argocd.argoproj.io/tracking-id';

requires('KUBEBUILDER_ASSETS', 'what runs on a cluster', () => {
  let world: World;
  let cluster: Cluster;
  let scene: WorkspaceScene;
  let connection: string;
  let environment: Json;

  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start({ CLUSTER_INSECURE_TLS: 'true' }), sharedCluster()]);
    scene = await WorkspaceScene.make(world, await peopleOf(world));
    const { kubeconfig } = cluster;
    const registered = world.admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig });
    connection = (await done(registered)).connected[0].connection_id as string;
    environment = await scene.environment();
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${connection}`));
  }, 120_000);
  afterAll(() => world.stop());

  const newNamespace = async (): Promise<string> => {
    const namespace = `import-${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    return namespace;
  };
  const put = async (namespace: string, objects: object[], ...how: string[]): Promise<void> => {
    const file = join(testRunFolder(), `${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    await kubectl(cluster, ...how, '-n', namespace, '-f', file);
  };
  const ask = (body: object, by: Person = scene.people.editor): Promise<{ status: number; body: Json }> =>
    by.post('/api/pattern/import', { connection_id: connection, workspace_id: scene.id, ...body });
  const names = (list: Json[]): string[] => list.map(({ kind, name }) => `${kind}/${name}`).sort();
  /** What changes when an object is written or made anew. */
  const stateOf = async (namespace: string): Promise<Json[]> => {
    const kinds = 'deploy,sts,cronjob,svc,ingress,hpa,cm,secret,sa,pvc,role,rolebinding,networkpolicy,pod';
    const listed: Json = JSON.parse(await kubectl(cluster, 'get', kinds, '-n', namespace, '-o', 'json'));
    return listed.items.map(({ kind, metadata, data, spec }: Json) => ({
      ...{ kind, name: metadata.name, uid: metadata.uid, generation: metadata.generation, data, spec },
    }));
  };
  const designOf = async (id: string): Promise<string> =>
    JSON.stringify(await done(scene.people.editor.get(`/api/pattern/${id}?populate=source_content`)));

  it('becomes designs by what refers to what, is adopted, and nothing moves', async () => {
    const namespace = await newNamespace();
    await put(namespace, web, 'apply');
    await put(namespace, others, 'create');
    const preview = await ask({ namespaces: [namespace], preview: true });
    expect(preview.status).toBe(200);
    const { designs, left_out, counts } = preview.body;
    expect(designs.map(({ name }: Json) => name)).toEqual(['deny-all', 'nightly', 'store', 'web']);
    const [denied, nightly, store, front] = designs;
    expect(names(denied.resources)).toEqual(['NetworkPolicy/deny-all']);
    expect(nightly.reason).toBe('Nothing else in the namespace belongs to it.');
    expect(names(store.resources)).toEqual(['Service/db-peers', 'StatefulSet/db']);
    expect(names(front.resources)).toEqual(names(web.map((one: Json) => ({ ...one, name: one.metadata.name }))));
    expect(front).toMatchObject({ namespace, source_type: 'kubernetes', components: web.length, warnings: [] });
    expect(front.reason).toMatch(/ConfigMap web|Service web|ServiceAccount web/);
    expect(front.deploy).toEqual({
      ...{ environment_id: environment.id, connection_ids: [connection], namespace, adopt: true },
    });
    expect(counts).toEqual({ designs: 4, resources: web.length + others.length, left_out: left_out.length });
    expect(left_out.map(({ code }: Json) => code)).not.toContain('NOT_READABLE');
    expect(JSON.stringify(preview.body)).not.toContain(Buffer.from(PASSWORD).toString('base64'));
    expect((await done(world.admin.get(`/api/workspaces/${scene.id}/designs`))).total_count).toBe(0);

    const imported = await ask({ namespaces: [namespace] });
    expect(imported).toMatchObject({ status: 201, body: { counts } });
    const before = await stateOf(namespace);
    for (const { id, deploy, resources } of imported.body.designs) {
      expect(deploy).toMatchObject({ id });
      const plan = await done(scene.people.editor.post('/api/pattern/deploy/plan', deploy));
      expect(plan.resources.map(({ name, action, adopts, diff }: Json) => ({ name, action, adopts, diff }))).toEqual(
        resources.map(({ name }: Json) => ({ name, action: 'unchanged', adopts: true, diff: [] })),
      );
      const deployed = await done(scene.people.editor.post('/api/pattern/deploy', deploy));
      expect(deployed.status).toBe('succeeded');
    }
    expect(await stateOf(namespace)).toEqual(before);

    const again = await done(ask({ namespaces: [namespace], preview: true }));
    expect(again.designs).toEqual([]);
    expect(again.left_out.filter(({ code }: Json) => code === 'OWNED_HERE')).toHaveLength(counts.resources);
  }, 120_000);

  it('keeps the values of Secrets from everybody, and asks for them elsewhere', async () => {
    const [namespace, elsewhere] = [await newNamespace(), await newNamespace()];
    await put(namespace, web.slice(0, 2), 'apply');
    const { designs } = await done(ask({ namespaces: [namespace], kinds: ['secrets'] }));
    expect(designs).toMatchObject([{ name: 'web', components: 1 }]);
    const [{ id, deploy }] = designs;
    const text = await designOf(id as string);
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain(Buffer.from(PASSWORD).toString('base64'));
    expect(text).toContain('password');
    const away = await scene.people.editor.post('/api/pattern/deploy', { ...deploy, namespace: elsewhere });
    expect(away).toMatchObject({
      status: 409,
      body: { code: 'SECRET_VALUES_NEEDED', errors: [{ detail: expect.stringContaining('password') }] },
    });
    await done(scene.people.editor.post('/api/pattern/deploy', deploy));
    const live = await kubectl(cluster, 'get', 'secret', 'web', '-n', namespace, '-o', 'jsonpath={.data.password}');
    expect(Buffer.from(live, 'base64').toString()).toBe(PASSWORD);

    // Where they were, they come back; an admin of the organization takes them elsewhere.
    await kubectl(cluster, 'delete', 'secret', 'web', '-n', namespace);
    const back = await done(scene.people.editor.post('/api/pattern/deploy', { ...deploy, adopt: undefined }));
    expect(back.resources).toMatchObject([{ action: 'create', status: 'applied' }]);
    const moved = { ...deploy, namespace: elsewhere, move: true };
    expect(await scene.people.admin.post('/api/pattern/deploy', moved)).toMatchObject({
      status: 409,
      body: { code: 'SECRET_VALUES_NEEDED' },
    });
    const plan = await done(world.admin.post('/api/pattern/deploy/plan', moved));
    expect(JSON.stringify(plan)).not.toContain(Buffer.from(PASSWORD).toString('base64'));
    await done(world.admin.post('/api/pattern/deploy', moved));
    const there = await kubectl(cluster, 'get', 'secret', 'web', '-n', elsewhere, '-o', 'jsonpath={.data.password}');
    expect(Buffer.from(there, 'base64').toString()).toBe(PASSWORD);
    // Where the connection leads to another cluster, that is elsewhere, too.
    await kubectl(cluster, 'delete', 'secret', 'web', '-n', namespace, '--ignore-not-found');
    const refusal = async (): Promise<unknown> => {
      const back = await done(scene.people.admin.post('/api/pattern/deploy/plan', { ...deploy, move: true }));
      return back.resources.find((one: Json) => one.namespace === namespace).error?.reason;
    };
    expect(await refusal()).toBeUndefined();
    const sealing = world.get(SealedValuesService);
    const kept = await sealing.open(id as string);
    if (!kept) throw new Error('nothing was sealed');
    expect(kept.clusterUid).toBe(
      await kubectl(cluster, 'get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}'),
    );
    const { organizationId, ...values } = kept;
    const design = Object.assign(new Design(), { id, organizationId });
    const ofAnother = await sealing.seal(design, { ...values, clusterUid: randomUUID() });
    await world.sql('UPDATE design SET sealed_values = $2 WHERE id = $1', [id, ofAnother]);
    expect(await refusal()).toBe('SECRET_VALUES_NEEDED');
    // A copy of the design has none of them.
    const copy = await done(world.admin.post(`/api/pattern/clone/${id}`, { workspace_id: scene.id }));
    const other = { ...deploy, id: copy.id, namespace: await newNamespace() };
    expect((await world.admin.post('/api/pattern/deploy', other)).status).toBe(409);
    const [{ sealed }] = (await world.sql<{ sealed: Buffer }>(
      'SELECT sealed_values AS sealed FROM design WHERE id = $1',
      [id],
    )) as [{ sealed: Buffer }];
    expect(sealed.includes(PASSWORD) || sealed.includes(Buffer.from(PASSWORD).toString('base64'))).toBe(false);
  }, 60_000);

  it('says of each object that others make or keep why it is left out', async () => {
    const namespace = await newNamespace();
    const named = (name: string, metadata: object, kind = 'ConfigMap'): Json => ({
      ...{ apiVersion: 'v1', kind, metadata: { name, ...metadata } },
    });
    const tracked = (name: string): Json =>
      named(name, { annotations: { [ARGO]: `shop:/ConfigMap:${namespace}/argo` } });
    await put(
      namespace,
      [
        tracked('argo'),
        tracked('copied'),
        named('flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } }),
        named('helm', { annotations: { 'meta.helm.sh/release-name': 'shop' } }),
        named('run', { labels: { 'app.kubernetes.io/managed-by': 'shop-operator' } }),
        {
          ...named('token', { annotations: { 'kubernetes.io/service-account.name': 'default' } }, 'Secret'),
          type: 'kubernetes.io/service-account-token',
        },
      ],
      'create',
    );
    const uid = await kubectl(cluster, 'get', 'configmap', 'copied', '-n', namespace, '-o', 'jsonpath={.metadata.uid}');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'copied', uid };
    await put(namespace, [named('owned', { ownerReferences: [owner] })], 'create');
    const { designs, left_out } = await done(ask({ namespaces: [namespace], preview: true }));
    expect(designs.map(({ name }: Json) => name)).toEqual(['copied']);
    const codes = Object.fromEntries(left_out.map(({ name, code }: Json) => [name, code]));
    expect(codes).toMatchObject({
      ...{ argo: 'ARGOCD', flux: 'FLUX', helm: 'HELM', run: 'OPERATOR', owned: 'OWNED' },
      'kube-root-ca.crt': 'GENERATED',
    });
    expect(left_out.find(({ name }: Json) => name === 'argo')).toMatchObject({
      owner: { kind: 'Application', name: 'shop' },
    });

    const taken = await done(ask({ namespaces: [namespace], include_owned: true, preview: true }));
    expect(taken.designs.map(({ name }: Json) => name)).toEqual(['argo', 'copied', 'flux', 'run']);
    expect(taken.designs[0].hand_over).toMatchObject([
      { tool: 'Argo CD', steps: expect.arrayContaining(['argocd app delete shop --cascade=false']) },
    ]);
  }, 60_000);

  it('is asked for by who may import there, and by what the cluster has', async () => {
    const { people } = scene;
    const namespace = await newNamespace();
    const body = { namespaces: [namespace], preview: true };
    expect((await ask(body, people.viewer)).status).toBe(403);
    expect((await ask(body, people.member)).status).toBe(404);
    const loose = await done(
      world.admin.post('/api/integrations/connections', {
        ...{ name: 'loose', kind: 'kubernetes', organization_id: world.organization },
        ...{ metadata: { server: cluster.url }, credential_secret: { token: 'x' } },
      }),
    );
    expect((await ask({ ...body, connection_id: loose.id }, world.admin)).status).toBe(404);
    expect(await ask(body)).toMatchObject({ status: 200, body: { designs: [], warnings: [expect.anything()] } });
    expect(await ask({ ...body, namespaces: [namespace, 'absent'] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/namespaces/1', detail: 'the cluster has no namespace absent' }] },
    });
    expect(await ask({ ...body, selector: 'a in (' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/selector' }] },
    });
    expect(await ask({ ...body, kinds: ['Gizmo'] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/kinds/0' }] },
    });
    expect(await ask({ ...body, url: 'https://example.com/shop.yaml' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/url' }] },
    });
    const without = await people.editor.post('/api/pattern/import', { namespaces: ['a'], workspace_id: scene.id });
    expect(without).toMatchObject({ status: 400, body: { errors: [{ pointer: '/namespaces' }] } });

    await done(world.admin.put(`/api/environments/${environment.id}`, { tier: 'production' }));
    expect((await ask(body)).status).toBe(403);
    expect((await ask(body, people.admin)).status).toBe(200);
    await done(world.admin.put(`/api/environments/${environment.id}`, { tier: 'development' }));
  }, 60_000);

  requires('CORPUS_DIR', 'of the corpus', (corpus) => {
    const ways = [['apply'], ['apply', '--server-side'], ['create']];

    it('is imported, and planned unchanged, whatever put it there', async () => {
      const root = join(corpus, 'kubernetes');
      const folders = ADOPTED === 'all' ? readdirSync(root) : ADOPTED.split(',');
      const client = clusterClient(cluster.kubeconfig);
      const counts = { objects: 0, unchanged: 0 };
      const others: string[] = [];
      for (const [number, folder] of folders.entries()) {
        const namespace = await newNamespace();
        const objects: object[] = [];
        for (const object of objectsIn(join(root, folder))) {
          const kind =
            isBuiltIn(object['apiVersion']) &&
            (await client.findKind(asText(object['apiVersion']), asText(object['kind'])));
          if (!kind || !kind.namespaced) continue;
          const { namespace: _, ...metadata } = asObject(object['metadata']);
          objects.push({ ...object, metadata });
        }
        // What the cluster refuses of an application is not there.
        await put(namespace, objects, ...(ways[number % ways.length] ?? [])).catch(() => undefined);
        const { designs, warnings } = await done(ask({ namespaces: [namespace] }));
        if (designs.length === 0) others.push(`${folder}: nothing: ${JSON.stringify(warnings)}`);
        for (const { name, deploy } of designs) {
          const { status, body: plan } = await scene.people.editor.post('/api/pattern/deploy/plan', deploy);
          if (status !== 200) others.push(`${folder}/${name}: ${JSON.stringify(plan).slice(0, 500)}`);
          for (const { kind, name: own, action, adopts, diff, error } of plan.resources ?? []) {
            counts.objects += 1;
            if (action === 'unchanged' && adopts && !error) counts.unchanged += 1;
            else
              others.push(`${folder}/${name}: ${kind}/${own} ${action} ${JSON.stringify(error ?? diff).slice(0, 500)}`);
          }
        }
      }
      await client.close();
      if (ADOPTED === 'all') process.stdout.write(`${JSON.stringify(counts)}\n${others.join('\n')}\n`);
      expect(counts.unchanged / counts.objects >= 0.995 ? [] : others).toEqual([]);
      expect(counts.objects).toBeGreaterThan(10);
    }, 1_200_000);
  });

  describe('its logs', () => {
    let proxy: ClusterProxy;
    let place: Json;
    let deployment: Json;
    let namespace: string;
    const asked: URL[] = [];
    /** What the container has written. */
    let log: string[] = [];
    let fate: 'answers' | 'node is away' | 'stays open' = 'answers';
    const app = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'app' } },
      spec: {
        selector: { matchLabels: { run: 'app' } },
        template: {
          metadata: { labels: { run: 'app' } },
          spec: { tolerations: POD.tolerations, containers: [{ name: 'app', image: 'app:1' }] },
        },
      },
    };

    beforeAll(async () => {
      proxy = await ClusterProxy.start(cluster, 'logs');
      proxy.substitute = (url, response) => {
        if (!url.pathname.endsWith('/log')) return false;
        asked.push(url);
        const most = Number(url.searchParams.get('limitBytes') ?? '0');
        const text = log.map((line) => `${line}\n`).join('');
        if (fate === 'node is away')
          response
            .writeHead(500, { 'content-type': 'application/json' })
            .end(JSON.stringify({ kind: 'Status', message: 'dial tcp 10.0.0.1:10250: connect: connection refused' }));
        else if (fate === 'stays open') response.writeHead(200, { 'content-type': 'text/plain' }).write(text);
        else response.writeHead(200, { 'content-type': 'text/plain' }).end(most ? text.slice(0, most) : text);
        return true;
      };
      const { kubeconfig } = proxy;
      const registered = world.admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig });
      const id = (await done(registered)).connected[0].connection_id as string;
      place = await scene.environment();
      await done(world.admin.post(`/api/environments/${place.id}/connections/${id}`));
      namespace = await newNamespace();
      const documents = [app, web[1], web[0]].map((one) => JSON.stringify(one)).join('\n---\n');
      const design = await done(
        world.admin.upload('/api/pattern/import', 'app.yaml', documents, { workspace_id: scene.id }),
      );
      const target = { id: design.id, environment_id: place.id, namespace, wait: true };
      deployment = await done(scene.people.editor.post('/api/pattern/deploy', target));
    }, 60_000);
    afterAll(() => proxy.stop());

    const read = (query: Record<string, string> = {}, by: Person = scene.people.editor) =>
      by.get(`/api/deployments/${deployment.id}/logs?${new URLSearchParams(query).toString()}`);
    const resource = (): string => `Deployment/${namespace}/app`;

    it('are read by who may, without the values of Secrets', async () => {
      const coded = Buffer.from(PASSWORD).toString('base64');
      log = ['started', `password=${PASSWORD}`, `auth ${coded}`, 'no end of line'];
      const { status, headers, body } = await read({ resource: resource(), tail: '10', since: '5m', container: 'app' });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(body).toBe('started\npassword=(hidden)\nauth (hidden)\nno end of line\n');
      const query = asked.at(-1)?.searchParams;
      expect(query?.get('tailLines')).toBe('10');
      expect(query?.get('sinceSeconds')).toBe('300');
      const itsReads = `action=getDeploymentLogs&actor=${scene.people.editor.id}`;
      const audit = await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit?${itsReads}`));
      expect(audit.entries[0]).toMatchObject({ outcome: 'allowed', resource: { id: deployment.id } });

      expect((await read({}, scene.people.viewer)).status).toBe(403);
      expect((await read({}, scene.people.outsider)).status).toBe(404);
      await done(world.admin.put(`/api/environments/${place.id}`, { logs: 'viewer' }));
      expect((await read({}, scene.people.viewer)).status).toBe(200);
      await done(world.admin.put(`/api/environments/${place.id}`, { logs: 'editor' }));
    });

    it('are of the deployment only, at most 1 MB, and as it is asked for', async () => {
      expect((await read({ resource: `Deployment/${namespace}/other` })).status).toBe(404);
      expect((await read({ resource: `ConfigMap/${namespace}/web` })).status).toBe(400);
      expect((await read({ container: 'sidecar' })).status).toBe(400);
      for (const [name, value] of Object.entries({
        since: 'yesterday',
        tail: '-1',
        resource: 'app',
        follow: 'perhaps',
      }))
        expect((await read({ [name]: value })).status).toBe(400);
      log = Array.from({ length: 12_000 }, (_, index) => `${index} ${'x'.repeat(100)}`);
      const { body } = await read();
      expect(body.length).toBeGreaterThan(900_000);
      expect(body.length).toBeLessThan(1_000_300);
      expect(body).toMatch(/\n# app-.+\/app: the rest is cut off; ask with since or tail for the last lines\n$/);
    });

    it('are an error of the cluster where the node does not answer', async () => {
      fate = 'node is away';
      const failed = await read();
      expect(failed).toMatchObject({ status: 502, body: { code: 'CLUSTER_FAILED' } });
      expect(failed.body.detail).toContain('connection refused');
      expect((await read({ follow: 'true' })).status).toBe(502);
      fate = 'answers';
      // The node of this control plane runs nothing, which the real API server says.
      const substitute = proxy.substitute;
      proxy.substitute = () => false;
      expect([502, 504]).toContain((await read()).status);
      proxy.substitute = substitute;
    });

    it('are followed as events, until they end or the right is gone', async () => {
      log = [`2027-01-31T18:00:00.000000001Z password ${PASSWORD}`, '2027-01-31T18:00:01Z and on'];
      const ended = await read({ follow: 'true' });
      expect(ended.headers.get('content-type')).toContain('text/event-stream');
      const events = String(ended.body).split('\n\n').filter(Boolean);
      expect(events).toHaveLength(3);
      expect(events[0]).toMatch(
        /^event: log\ndata: \{"pod":"app-.+","container":"app","at":"2027-01-31T18:00:00.000000001Z","line":"password \(hidden\)"\}$/,
      );
      expect(events[2]).toBe('event: end\ndata: {"reason":"ended"}');

      fate = 'stays open';
      const { editor, viewer } = scene.people;
      const leaving = new AbortController();
      const open = async ({ baseUrl, token }: Person) => {
        const stream = await fetch(`${baseUrl}/api/deployments/${deployment.id}/logs?follow=true`, {
          headers: { authorization: `Bearer ${token}` },
          signal: leaving.signal,
        });
        const heard = { text: '', reading: Promise.resolve() };
        heard.reading = (async () => {
          for await (const piece of stream.body ?? []) heard.text += Buffer.from(piece as Uint8Array).toString();
        })().catch(() => undefined);
        await until(() => Promise.resolve(heard.text.includes('and on')));
        return heard;
      };
      await done(world.admin.put(`/api/environments/${place.id}`, { logs: 'viewer' }));
      const [ofEditor, ofViewer] = [await open(editor), await open(viewer)];
      const changedAt = performance.now();
      await done(world.admin.put(`/api/environments/${place.id}`, { logs: 'editor' }));
      await ofViewer.reading;
      expect(ofViewer.text).toMatch(/event: end\ndata: \{"reason":"rights_changed"\}\n\n$/);
      // Well before the next heartbeat, which checks the right as well.
      expect(performance.now() - changedAt).toBeLessThan(5_000);
      expect(ofEditor.text).not.toContain('event: end');
      leaving.abort();
      await ofEditor.reading;
      fate = 'answers';
    });
  });
});
