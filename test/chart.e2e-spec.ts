import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { parseAllDocuments } from 'yaml';
import { envVariables } from '../src/core/config/env.js';
import { SECRET_VARIABLES } from '../src/core/config/secret-files.js';
import { tarOf } from '../src/formats/archives/tar.fixture.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

const CHART = resolve(fileURLToPath(import.meta.url), '../../deploy/chart');
const run = promisify(execFile);

/** Values as operators would have them, and the kinds that are made of them beside those of every installation. */
const VARIATIONS: Record<string, { values: object; kinds: string[] }> = {
  'as it is': { values: {}, kinds: ['PodDisruptionBudget'] },
  'one replica': { values: { replicas: 1 }, kinds: [] },
  'behind an ingress': {
    values: { ingress: { enabled: true, className: 'nginx', host: 'armature.example.org', tlsSecret: 'armature-tls' } },
    kinds: ['Ingress', 'PodDisruptionBudget'],
  },
  'with as many replicas as the load needs': {
    values: { autoscaling: { enabled: true, maxReplicas: 9 } },
    kinds: ['HorizontalPodAutoscaler', 'PodDisruptionBudget'],
  },
  'closed for others': {
    values: {
      networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }], egress: [{ ports: [{ port: 5432 }] }] },
    },
    kinds: ['NetworkPolicy', 'PodDisruptionBudget'],
  },
  monitored: {
    values: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
    kinds: ['PodDisruptionBudget', 'ServiceMonitor'],
  },
  'with settings': {
    values: {
      settings: { OIDC_ISSUER: 'https://id.example.org', OIDC_AUDIENCE: 'armature', LIMIT_BODY_BYTES: 10_485_760 },
      serviceAccount: { create: false },
      image: { digest: `sha256:${'0'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
      topologySpreadConstraints: [],
      podAnnotations: { team: 'platform' },
    },
    kinds: ['PodDisruptionBudget'],
  },
};

requires('HELM_BIN', 'the chart of the server', (helm) => {
  const folder = join(tmpdir(), `armature-chart-${randomUUID()}`);
  const template = async (values: object, ...args: string[]): Promise<Json[]> => {
    const file = `${folder}.json`;
    writeFileSync(file, JSON.stringify({ existingSecret: 'armature', ...values }));
    const { stdout } = await run(helm, ['template', 'armature', CHART, '-f', file, ...args]);
    return parseAllDocuments(stdout).map((document) => document.toJSON());
  };
  afterAll(() => rmSync(`${folder}.json`, { force: true }));

  it.each(Object.entries(VARIATIONS))('is rendered %s', async (_, { values, kinds }) => {
    const objects = await template(values);
    const own = ['Deployment', 'Service', ...('serviceAccount' in values ? [] : ['ServiceAccount'])];
    expect(objects.map(({ kind }) => kind as string).sort()).toEqual([...own, ...kinds].sort());
    await run(helm, ['lint', '--strict', CHART, '-f', `${folder}.json`]);
  });

  it('takes every secret from the Secret, and gives settings as they are written', async () => {
    const objects = await template({
      ...VARIATIONS['with settings']?.values,
      ...VARIATIONS['behind an ingress']?.values,
    });
    const deployment: Json = objects.find(({ kind }) => kind === 'Deployment');
    const { env } = deployment.spec.template.spec.containers[0];
    const secrets = env.filter(({ valueFrom }: Json) => valueFrom).map(({ name }: Json) => name as string);
    expect(secrets.sort()).toEqual([...SECRET_VARIABLES].sort());
    const plain = env.filter(({ value }: Json) => value !== undefined).map(({ name, value }: Json) => [name, value]);
    expect(Object.fromEntries(plain)).toEqual({
      BASE_URL: 'https://armature.example.org',
      LIMIT_BODY_BYTES: '10485760',
      OIDC_AUDIENCE: 'armature',
      OIDC_ISSUER: 'https://id.example.org',
    });
    expect(Object.keys(envVariables)).toEqual(
      expect.arrayContaining([...secrets, ...plain.map(([name]: string[]) => name)]),
    );
  });

  it.each([
    ['existingSecret is required: kubectl create secret', { existingSecret: '' }],
    ['settings.JWT_SECRET holds a secret: put it into the Secret armature', { settings: { JWT_SECRET: 'x' } }],
    ['ingress.host is required', { ingress: { enabled: true } }],
    ['replica', { replica: 3 }],
    ['pullPolicy', { image: { pullPolicy: 'Sometimes' } }],
  ])('refuses values: %s', async (message, values) => {
    await expect(template(values)).rejects.toThrow(message);
  });

  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    let world: World;
    let cluster: Cluster;
    const namespace = `armature-${randomUUID().slice(0, 8)}`;
    beforeAll(async () => {
      world = await World.start({ HELM_BIN: helm });
      cluster = await sharedCluster();
      await kubectl(cluster, 'create', 'namespace', namespace);
      const restricted = 'pod-security.kubernetes.io';
      await kubectl(
        cluster,
        'label',
        'namespace',
        namespace,
        `${restricted}/enforce=restricted`,
        `${restricted}/warn=restricted`,
      );
      const literals = ['DATABASE_URL', 'JWT_SECRET', 'ENCRYPTION_KEY', 'METRICS_TOKEN'].map(
        (name) => `--from-literal=${name}=x`,
      );
      await kubectl(cluster, 'create', 'secret', 'generic', 'armature', '-n', namespace, ...literals);
    });
    afterAll(async () => {
      await kubectl(cluster, 'delete', 'namespace', namespace, '--wait=false');
      await world.stop();
    });

    it('is accepted as restricted, without a warning, in every variation', async () => {
      for (const { values } of Object.values(VARIATIONS)) {
        const objects = (await template(values, '-n', namespace)).filter(({ kind }) => kind !== 'ServiceMonitor');
        writeFileSync(`${folder}.json`, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
        await kubectl(
          cluster,
          'apply',
          '--dry-run=server',
          '--warnings-as-errors',
          '-n',
          namespace,
          '-f',
          `${folder}.json`,
        );
      }
    });

    it('is valid, deployed, upgraded and rolled back by the server itself', async () => {
      const { admin, organization } = world;
      const { body } = await admin.post(`/api/system/kubernetes?orgID=${organization}`, {
        kubeconfig: cluster.kubeconfig,
      });
      const environment = await done(admin.post('/api/environments', { name: 'chart', organization_id: organization }));
      await done(admin.post(`/api/environments/${environment.id}/connections/${body.connected[0].connection_id}`));
      const workspace = await done(admin.post('/api/workspaces', { name: 'chart', organization_id: organization }));
      await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
      const values = { existingSecret: 'armature', tolerations: [{ operator: 'Exists' }] };
      const { id } = await done(
        admin.upload('/api/pattern/import', 'armature.tgz', gzipSync(await tarOf(filesOf(CHART))), {
          workspace_id: workspace.id as string,
          values: JSON.stringify(values),
        }),
      );
      expect(await done(admin.get(`/api/pattern/${id}/validate`))).toMatchObject({
        valid: true,
        counts: { unknown: 0 },
      });

      const replicas = (): Promise<string> =>
        kubectl(cluster, 'get', 'deployment', '-n', namespace, '-o', 'jsonpath={.items[*].status.readyReplicas}');
      const deployed = await done(admin.post('/api/pattern/deploy', { id, namespace, wait: true }));
      expect(deployed).toMatchObject({ status: 'succeeded', design_version: 1 });
      expect(await replicas()).toBe('2');
      const upgraded = await done(
        admin.post('/api/pattern/deploy', { id, namespace, wait: true, values: { replicas: 3 } }),
      );
      expect(upgraded).toMatchObject({ status: 'succeeded', design_version: 2 });
      expect(await replicas()).toBe('3');
      const back = await done(admin.post(`/api/deployments/${upgraded.id}/rollback`, { version: 1, wait: true }));
      expect(back).toMatchObject({ status: 'succeeded', design_version: 1 });
      expect(await replicas()).toBe('2');
      expect((await done(admin.delete('/api/pattern/deploy', { body: { id } }))).status).toBe('undeployed');
      expect(await kubectl(cluster, 'get', 'secret', 'armature', '-n', namespace, '-o', 'name')).toBe(
        'secret/armature',
      );
    });
  });
});

function filesOf(folder: string): Record<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [`armature${path.slice(folder.length)}`, readFileSync(path)]));
}
