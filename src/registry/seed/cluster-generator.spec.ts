import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import { kubectl } from '../../../test/support/kubectl.js';
import { type ApiDescription, describeApi } from '../../../test/support/openapi-documents.js';
import { requires } from '../../../test/support/requirements.js';
import { testRunFolder } from '../../../test/support/test-run.js';
import { DEFAULT_FORMAT_LIMITS } from '../../formats/sources/format-limits.js';
import { type JsonObject, asObject } from '../../core/json/json.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { loadKubernetesSeed } from './kubernetes-seed.js';
import { generateFromCluster } from '../../generators/generate-from-cluster.js';
import { generateClusterModels } from '../../generators/generate.js';
import { bytesOf, definitionYaml, schemaOf } from '../../generators/generator-source.fixture.js';

const config = {};

describe('the description of an API server', () => {
  const gvk = (group: string, kind: string) => ({
    'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind }],
  });
  const properties = { apiVersion: {}, kind: {}, metadata: {} };
  const document = (group: string, kind: string, schema: string) => ({
    path: `apis/${group}/v1`,
    bytes: bytesOf(JSON.stringify({ openapi: '3.0.0', info: { title: 'Kubernetes' }, paths: { [`/apis/${group}/v1/things`]: { get: gvk(group, kind) } }, components: { schemas: { [schema]: { properties, ...gvk(group, kind) } } } })), // prettier-ignore
  });

  it('makes a model of Kubernetes, one for each domain of definitions, and one for each of servers behind it', () => {
    const documents = [
      document('apps', 'Deployment', 'io.k8s.api.apps.v1.Deployment'),
      document('metrics.k8s.io', 'NodeMetrics', 'io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics'),
      document('things.example.com', 'Thing', 'com.example.things.v1.Thing'),
      { path: 'apis/broken/v1', bytes: bytesOf('{') },
    ];
    const definitions = [{ path: 'crds', bytes: bytesOf(definitionYaml('Thing')) }];
    const { contents, faults } = generateFromCluster({ name: 'prod', version: 'v1.36.3', documents, definitions, config, limits: DEFAULT_FORMAT_LIMITS }); // prettier-ignore
    expect(contents.map(({ model, components }) => [model.name, model.version, model.registrant.kind, components.map(({ kind }) => kind)])).toEqual([
      ['kubernetes', 'v1.36.3', 'kubernetes', ['Deployment']],
      ['metrics', 'v1.0.0', 'kubernetes', ['NodeMetrics']],
      ['example', 'v1.0.0', 'kubernetes', ['Thing']],
    ]); // prettier-ignore
    expect(contents[2]?.components[0]?.schema).toContain('x-kubernetes-preserve-unknown-fields');
    expect(faults).toMatchObject([{ entity: 'file', path: 'apis/broken/v1', line: 1 }]);
  });
});

requires('KUBEBUILDER_ASSETS', 'a real API server', () => {
  const pool = new WorkerPool();
  let cluster: Cluster;
  let api: ApiDescription;

  beforeAll(async () => {
    cluster = await sharedCluster({ bare: true });
    const file = join(testRunFolder(), 'generators.yaml');
    await writeFile(file, definitionYaml('Gadget', 'generators-spec.io'));
    await kubectl(cluster, 'apply', '-f', file);
    await kubectl(cluster, 'wait', '--for=condition=Established', 'crd/gadgets.generators-spec.io');
    api = await describeApi(cluster);
  }, 180_000);
  afterAll(async () => {
    await kubectl(cluster, 'delete', 'crd', 'gadgets.generators-spec.io', '--ignore-not-found');
    await pool.close();
  });

  it('gives every kind of resource that kubectl finds, with its scope', async () => {
    const { contents, faults, warnings } = await generateClusterModels({ name: 'test', ...api, config, limits: DEFAULT_FORMAT_LIMITS }, pool); // prettier-ignore
    expect([...faults, ...warnings]).toEqual([]);
    const groupOf = (apiVersion = '') => (apiVersion.includes('/') ? apiVersion.split('/')[0] : 'core');
    const made = contents.flatMap(({ components }) => components.map(({ apiVersion, kind, metadata }) => [groupOf(apiVersion), metadata['isNamespaced'] === true, kind].join(' '))); // prettier-ignore
    const lines = (await kubectl(cluster, 'api-resources', '--no-headers')).split('\n');
    const listed = lines.map((line) => line.trim().split(/\s+/).slice(-3)).map(([apiVersion, isNamespaced, kind]) => [groupOf(apiVersion), isNamespaced, kind].join(' ')); // prettier-ignore
    expect(listed.length).toBeGreaterThan(60);
    expect(new Set(made)).toEqual(new Set(listed));
    const [gadget] = contents.find(({ model }) => model.name === 'generators-spec')?.components ?? [];
    expect(gadget).toMatchObject({ kind: 'Gadget', apiVersion: 'generators-spec.io/v1', metadata: { plural: 'gadgets' } }); // prettier-ignore
  });

  it('loses nothing of the schemas of the server', () => {
    const { contents } = generateFromCluster({
      name: 'test',
      ...api,
      definitions: [],
      config,
      limits: DEFAULT_FORMAT_LIMITS,
    });
    const served = new Map<string, string>();
    for (const { bytes } of api.documents) {
      const { components } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { components: { schemas: JsonObject } };
      for (const [name, schema] of Object.entries(components.schemas)) {
        served.set(name, JSON.stringify(schema).replaceAll('#/components/schemas/', '#/definitions/'));
      }
    }
    const core = contents.find(({ model }) => model.name === 'kubernetes')?.components ?? [];
    expect(core.length).toBeGreaterThan(60);
    for (const component of core) {
      const { title, definitions, ...own } = schemaOf(component);
      expect(title).toBe(component.displayName);
      expect([...served.values()]).toContain(JSON.stringify(own));
      for (const [name, schema] of Object.entries(asObject(definitions as JsonObject))) {
        expect(JSON.stringify(schema)).toBe(served.get(name));
      }
    }
  });

  it('gives the seed again where the server is of its version', async () => {
    const seed = await loadKubernetesSeed();
    if (api.version !== seed.model.version) return;
    const { contents } = generateFromCluster({ name: 'test', ...api, config, limits: DEFAULT_FORMAT_LIMITS });
    const core = contents.find(({ model }) => model.name === 'kubernetes');
    const byKind = (components: typeof seed.components) => new Map(components.map((component) => [`${component.apiVersion} ${component.kind}`, component])); // prettier-ignore
    expect(byKind(core?.components ?? [])).toEqual(byKind(seed.components));
  });
});
