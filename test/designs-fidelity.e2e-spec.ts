import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { parse as parseYaml } from 'yaml';
import { tar, tarOf } from '../src/formats/archives/tar.fixture.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { done } from './support/workspace-scene.js';
import { until } from './support/until.js';
import { World } from './support/world.js';
import { membersOf } from '../src/designs/formats/archive.fixture.js';

const run = promisify(execFile);
const HELM = process.env['HELM_BIN'] ?? '';
let world: World;
beforeAll(async () => (world = await World.start(HELM === '' ? {} : { HELM_BIN: HELM })));
afterAll(() => world.stop());

const imported = (name: string, content: string | Uint8Array, fields: Record<string, string> = {}): Promise<Json> =>
  done(world.admin.upload('/api/pattern/import', name, content, fields));

async function download(id: string, form: string): Promise<Buffer> {
  const response = await fetch(`${world.baseUrl}/api/pattern/download/${id}?export=${form}`, {
    headers: { authorization: `Bearer ${world.admin.token ?? ''}` },
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const listMembers = async (archive: Buffer): Promise<string[]> => Object.keys(await membersOf(archive)).sort();

/** A workspace that may deploy to the cluster of the tests. */
async function workspaceOn(cluster: Cluster): Promise<string> {
  const { admin, organization } = world;
  const { body } = await admin.post(`/api/system/kubernetes?orgID=${organization}`, { kubeconfig: cluster.kubeconfig });
  const environment = await done(admin.post('/api/environments', { name: 'dev', organization_id: organization }));
  await done(admin.post(`/api/environments/${environment.id}/connections/${body.connected[0].connection_id}`));
  const workspace = await done(admin.post('/api/workspaces', { name: 'shop', organization_id: organization }));
  await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
  return workspace.id as string;
}

it('a file of several JSON documents is imported as kubectl takes it, and leaves as YAML', async () => {
  const map = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  for (const text of [`${map('a')}\n${map('b')}\n`, `${map('a')}\n---\n${map('b')}`]) {
    const { id } = await imported('maps.json', text);
    const manifest = (await download(id, 'kubernetes')).toString();
    const documents = manifest.split('---\n').map((document) => parseYaml(document));
    expect(documents.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect((await download(id, 'source')).toString()).toBe(text);
  }
});

describe('an integer that no double holds', () => {
  const BIG = '9007199254740993';
  const deployment = (seconds: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: patient}
spec:
  selector: {matchLabels: {app: patient}}
  template:
    metadata: {labels: {app: patient}}
    spec:
      terminationGracePeriodSeconds: ${seconds}
      containers: [{name: a, image: nginx}]
`;

  it('keeps its digits from import to every form, from YAML and JSON', async () => {
    const json = `{"apiVersion":"example.org/v1","kind":"Big","metadata":{"name":"a"},"spec":{"most":9223372036854775807,"least":-9223372036854775808}}`;
    for (const [name, content, digits] of [
      ['a.yaml', deployment(BIG), [BIG]],
      ['b.json', json, ['9223372036854775807', '-9223372036854775808']],
    ] as const) {
      const design = await imported(name, content);
      const texts = [design.pattern_file as string];
      for (const form of ['design', 'json', 'kubernetes'])
        texts.push((await download(design.id as string, form)).toString());
      for (const text of texts) for (const each of digits) expect(text).toMatch(new RegExp(`: ${each}(?!\\d)`));
      const again = await imported('again.json', texts[2] ?? '');
      expect((await download(again.id as string, 'kubernetes')).toString()).toContain(`: ${digits[0]}`);
      const chart = await download(design.id as string, 'helm');
      const templates = Object.entries(await membersOf(chart)).filter(([path]) => path.includes('/templates/'));
      expect(Buffer.concat(templates.map(([, bytes]) => bytes)).toString()).toContain(`: ${digits[0]}`);
    }
  });

  it('is judged as an integer, and a difference shows its digits', async () => {
    const { admin } = world;
    const { id } = await imported('a.yaml', deployment(BIG));
    expect((await admin.get(`/api/pattern/${id}/validate`)).body).toMatchObject({ valid: true });
    const next = await admin.put('/api/pattern/kubernetes', {
      id,
      pattern_data: { pattern_file: deployment('9007199254740995') },
    });
    expect(next.status).toBe(200);
    const { body } = await admin.get(`/api/pattern/${id}/diff?from=1&to=2`);
    expect(body.changed[0].changes).toEqual([
      {
        pointer: '/configuration/spec/template/spec/terminationGracePeriodSeconds',
        change: 'changed',
        from: BIG,
        to: '9007199254740995',
      },
    ]);
  });

  it('is text in Compose, and a fault beyond 64 bits in Kubernetes', async () => {
    const { id } = await imported(
      'compose.yaml',
      `services:\n  web:\n    image: nginx\n    environment:\n      ID: 123456789012345678901234\n`,
    );
    expect((await download(id as string, 'docker-compose')).toString()).toContain('ID: "123456789012345678901234"');
    expect((await download(id as string, 'kubernetes')).toString()).toContain('value: "123456789012345678901234"');
    const refused = await world.admin.upload('/api/pattern/import', 'a.yaml', deployment('18446744073709551615'));
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ line: 9, detail: expect.stringContaining('64 bits') }] },
    });
    const marked = await world.admin.upload('/api/pattern/import', 'a.yaml', deployment(`"\uf8ffinteger:${BIG}"`));
    expect(marked).toMatchObject({ status: 400, body: { errors: [{ line: 9 }] } });
  });

  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    it('is deployed with its digits, and only a change of them is a change', async () => {
      const cluster = await sharedCluster();
      const { admin } = world;
      const workspace = await workspaceOn(cluster);
      const namespace = `i${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'namespace', namespace);
      const path = 'jsonpath={.spec.template.spec.terminationGracePeriodSeconds}';
      const seconds = () => kubectl(cluster, 'get', 'deployment', 'patient', '-n', namespace, '-o', path);
      const { id } = await imported('a.yaml', deployment(BIG), { workspace_id: workspace });
      await done(admin.post('/api/pattern/deploy', { id, namespace }));
      expect(await seconds()).toBe(BIG);
      const same = await done(admin.post('/api/pattern/deploy/plan', { id, namespace }));
      expect(same.summary).toMatchObject({ update: 0, unchanged: 1 });
      await done(
        admin.put('/api/pattern/kubernetes', { id, pattern_data: { pattern_file: deployment('9007199254740992') } }),
      );
      const plan = await done(admin.post('/api/pattern/deploy/plan', { id, namespace }));
      expect(plan.summary).toMatchObject({ update: 1, unchanged: 0 });
      await done(admin.post('/api/pattern/deploy', { id, plan_id: plan.plan_id }));
      expect(await seconds()).toBe('9007199254740992');
      await done(admin.delete('/api/pattern/deploy', { body: { id } }));
    }, 120_000);
  });
});

describe('a service of Compose without ports', () => {
  const COMPOSE = `services:
  web: {image: nginx, ports: ["80"], environment: {STORE: "redis://store:6379"}, depends_on: [db]}
  store: {image: redis}
  db: {image: postgres}
  worker: {image: busybox}
`;

  it('has a headless Service when others name it, and a warning when none does', async () => {
    const design = await imported('compose.yaml', COMPOSE, { name: 'without-ports' });
    expect(design.warnings).toEqual([
      expect.objectContaining({
        file: 'compose.yaml',
        line: 5,
        detail: expect.stringContaining('no other service names it'),
        remedy: expect.stringContaining('expose'),
      }),
    ]);
    const text = (await download(design.id as string, 'kubernetes')).toString();
    const services = text.split(/^---$/m).filter((each) => each.includes('kind: Service\n'));
    expect(
      services.map((each) => `${/^ {2}name: (.*)$/m.exec(each)?.[1]} ${each.includes('clusterIP: None')}`).sort(),
    ).toEqual(['db true', 'store true', 'web false']);
  });

  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    it('is reached there by its name', async () => {
      const cluster = await sharedCluster();
      const workspace = await workspaceOn(cluster);
      const namespace = `c${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'namespace', namespace);
      const { id } = await imported('compose.yaml', COMPOSE, { workspace_id: workspace });
      await done(world.admin.post('/api/pattern/deploy', { id, namespace, wait: true }));
      // The pods here have no addresses, so that slices have no endpoints.
      const of = 'jsonpath={.items[*].metadata.labels.kubernetes\\.io/service-name}';
      const reached = (): Promise<string> => kubectl(cluster, 'get', 'endpointslices', '-n', namespace, '-o', of);
      await until(async () => (await reached()).split(' ').length === 3);
      expect((await reached()).split(' ').sort()).toEqual(['db', 'store', 'web']);
      const pods = await kubectl(
        cluster,
        'get',
        'pods',
        '-n',
        namespace,
        '-l',
        'app.kubernetes.io/name=db',
        '-o',
        'name',
      );
      expect(pods).toMatch(/^pod\/db-\S+$/);
      await done(world.admin.delete('/api/pattern/deploy', { body: { id } }));
    }, 120_000);
  });
});

it('Compose with a password as plain text and a volume without a size is imported with warnings that say what to do', async () => {
  const compose =
    'services:\n  db:\n    image: postgres\n    environment:\n      POSTGRES_PASSWORD: hunter2\n    volumes: [data:/data]\nvolumes:\n  data:\n';
  const { warnings } = await imported('compose.yaml', compose, { name: 'plain-password' });
  expect(warnings).toEqual([
    expect.objectContaining({
      line: 5,
      detail: expect.stringContaining('POSTGRES_PASSWORD'),
      remedy: expect.stringContaining('secrets:'),
    }),
    expect.objectContaining({
      line: 8,
      detail: expect.stringContaining('100Mi'),
      remedy: expect.stringContaining('kompose.volume.size'),
    }),
  ]);
  expect(JSON.stringify(warnings)).not.toContain('hunter2');
});

requires('KUBEBUILDER_ASSETS', 'a Kustomization', () => {
  it('is called after its repository, or its base, and not after its variant', async () => {
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
    const overlay = (base: string) => `resources: [${base}]\nnamePrefix: staging-\n`;
    for (const [file, files, name] of [
      [
        'download.tgz',
        {
          'shop-main/base/kustomization.yaml': 'resources: [map.yaml]',
          'shop-main/base/map.yaml': map,
          'shop-main/overlays/staging/kustomization.yaml': overlay('../../base'),
        },
        'shop',
      ],
      [
        'staging.tgz',
        {
          'guestbook/kustomization.yaml': 'resources: [map.yaml]',
          'guestbook/map.yaml': map,
          'staging/kustomization.yaml': overlay('../guestbook'),
        },
        'guestbook',
      ],
    ] as const)
      expect(await imported(file, gzipSync(await tarOf(files)))).toMatchObject({ source_type: 'kustomize', name });
  });
});

describe('a project of Compose that is downloaded as Compose', () => {
  const parse = (text: string): Json => parseYaml(text);

  it('keeps variables that are passed on, create_host_path and the end of its last text', async () => {
    const compose =
      'services:\n  web:\n    image: nginx\n    environment: [TOKEN, HOST, COLOUR=blue]\n    volumes: ["./data:/data:ro,z"]\nconfigs:\n  c:\n    content: |\n      last';
    const archive = gzipSync(await tarOf({ 'shop/compose.yaml': compose, 'shop/.env': 'HOST=example.org\n' }));
    const design = await imported('shop.tgz', archive);
    const file = parse((await download(design.id as string, 'docker-compose')).toString());
    expect(file.services.web.environment).toEqual({ TOKEN: null, HOST: 'example.org', COLOUR: 'blue' });
    expect(file.services.web.volumes).toEqual([
      {
        type: 'bind',
        source: './data',
        target: '/data',
        read_only: true,
        bind: { create_host_path: true, selinux: 'z' },
      },
    ]);
    expect(file.configs.c.content).toBe('last');
    const changed = (design.pattern_file as string).replace('value: blue', 'value: green');
    await done(world.admin.put('/api/pattern/design', { id: design.id, pattern_data: { pattern_file: changed } }));
    const next = parse((await download(design.id as string, 'docker-compose')).toString());
    expect(next.services.web.environment).toEqual({ TOKEN: null, HOST: 'example.org', COLOUR: 'green' });
  });

  it('has a manifest whose last line does not end as it was', async () => {
    const manifest = '# kept\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n    x\n    y';
    const { id, pattern_file: text } = await imported('a.yaml', manifest);
    expect(parse(text as string).components[0].configuration.data).toEqual({ a: 'x\ny' });
    expect((await download(id as string, 'kubernetes')).toString()).toBe(manifest);
  });
});

requires('HELM_BIN', 'an exported chart', (helm) => {
  const CHART = {
    '.helmignore': '*.tmpl\nci/\n',
    'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
    'values.yaml': 'colour: blue\n',
    'templates/map.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {colour: {{ .Values.colour }}}\n',
    'templates/broken.tmpl': '{{ .Values.missing.member }}',
    'templates/.hidden': '{{ end }}',
    'ci/values.yaml': 'colour: [\n',
  };
  const MEMBERS = ['shop/.helmignore', 'shop/Chart.yaml', 'shop/templates/map.yaml', 'shop/values.yaml'];
  const inFolder = (folder: string): Record<string, string> =>
    Object.fromEntries(Object.entries(CHART).map(([path, text]) => [`${folder}/${path}`, text]));

  it('has what Helm loads of its folder, whatever it was sent in', async () => {
    const dependency = gzipSync(
      await tarOf({ 'inner/Chart.yaml': 'apiVersion: v2\nname: inner\nversion: 1.0.0\n', 'inner/notes.tmpl': 'kept' }),
    );
    const withDependency = gzipSync(await tar(...Object.entries({ ...inFolder('work/shop'), 'work/shop/charts/inner-1.0.0.tgz': dependency }).map(([name, text]) => ({ name, text })))); // prettier-ignore
    for (const [sent, fields, members] of [
      [gzipSync(await tarOf(inFolder('shop'))), {}, MEMBERS],
      [gzipSync(await tarOf(inFolder('elsewhere'))), { values: 'colour: red' }, MEMBERS],
      [withDependency, {}, [...MEMBERS, 'shop/charts/inner/Chart.yaml', 'shop/charts/inner/notes.tmpl'].sort()],
    ] as const) {
      const { id } = await imported('shop.tgz', sent, fields);
      expect(await listMembers(await download(id as string, 'helm'))).toEqual(members);
    }
  });

  it('is refused for rules that Helm refuses', async () => {
    const sent = gzipSync(await tarOf({ ...inFolder('shop'), 'shop/.helmignore': '# rules\na/**\n' }));
    const refused = await world.admin.upload('/api/pattern/import', 'shop.tgz', sent);
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ file: 'shop/.helmignore', line: 2, detail: expect.stringContaining('**') }] },
    });
  });

  it('with a label that is given twice is imported with the last, and a warning', async () => {
    const twice = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  labels:\n    app: one\n    app: two\n';
    const chart = gzipSync(await tarOf({ ...inFolder('shop'), 'shop/templates/twice.yaml': twice }));
    const design = await imported('shop.tgz', chart);
    expect(design.pattern_file).toMatch(/labels:\n +app: two\n/);
    expect(design.warnings).toContainEqual(
      expect.objectContaining({
        file: 'shop/templates/twice.yaml',
        detail: expect.stringContaining('the last one counts'),
      }),
    );
  });

  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    it('is installed by Helm', async () => {
      const cluster = await sharedCluster();
      const folder = mkdtempSync(join(tmpdir(), 'armature-chart-'));
      try {
        const { id } = await imported('shop.tgz', gzipSync(await tarOf(inFolder('shop'))));
        writeFileSync(join(folder, 'shop.tgz'), await download(id as string, 'helm'));
        const namespace = `h${randomUUID().slice(0, 8)}`;
        const options = { env: { HOME: folder } };
        const place = ['--kubeconfig', cluster.kubeconfigFile, '--namespace', namespace];
        await run(helm, ['install', 'mine', join(folder, 'shop.tgz'), ...place, '--create-namespace'], options);
        expect(await kubectl(cluster, 'get', 'cm', 'mine', '-n', namespace, '-o', 'jsonpath={.data.colour}')).toBe(
          'blue',
        );
        await run(helm, ['uninstall', 'mine', ...place], options);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }, 120_000);
  });
});
