import { type GenerationResult, type GeneratorConfig } from './generator.js';
import { openApiGenerator } from './openapi-generator.js';
import { archiveSource, componentsOf, fileSource, schemaOf } from './generator-source.fixture.js';
import { type GeneratorSource } from './generator-source.js';

const generate = (source: GeneratorSource, config: GeneratorConfig = {}) =>
  openApiGenerator.generate(source, config) as GenerationResult;
const api = (schemas: object, more: object = {}) => ({ openapi: '3.0.3', info: { title: 'Pet Shop!', version: '1.2.0' }, components: { schemas }, ...more }); // prettier-ignore

describe('an ordinary document', () => {
  it('gives one component for each schema, in a model of its title', () => {
    const { contents } = generate(
      fileSource(api({ Pet: { type: 'object', description: 'A pet.' }, 'v1.petOwner': {} })),
    );
    expect(contents.map(({ model }) => model)).toMatchObject([{ name: 'pet-shop', displayName: 'Pet Shop!', version: '1.2.0', category: 'App Definition' }]); // prettier-ignore
    expect(contents[0]?.components).toMatchObject([
      { kind: 'Pet', apiVersion: 'pet-shop/1.2.0', displayName: 'Pet', description: 'A pet.', metadata: { isNamespaced: false } }, // prettier-ignore
      { kind: 'v1.petOwner', displayName: 'Pet Owner', schema: '{"title":"Pet Owner"}' },
    ]);
  });

  it('puts what a schema refers to below its own definitions, cycles included', () => {
    const schemas = {
      A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
      B: { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/with%20space~1slash' }] },
      'with space/slash': { type: 'string', nullable: true },
      Unused: { type: 'object' },
    };
    const [a] = componentsOf(generate(fileSource(api(schemas))));
    expect(schemaOf(a)).toEqual({
      title: 'A',
      type: 'object',
      properties: { b: { $ref: '#/definitions/B' } },
      definitions: {
        A: { type: 'object', properties: { b: { $ref: '#/definitions/B' } } },
        B: { allOf: [{ $ref: '#/definitions/A' }, { $ref: '#/definitions/with%20space-slash' }] },
        'with space-slash': { type: 'string', nullable: true },
      },
    });
  });

  it('follows references to any place of the document, and those of a discriminator', () => {
    const schemas = {
      A: { properties: { b: { $ref: '#/components/schemas/B/properties/id' }, c: { $ref: '#/components/parameters/id/schema' } }, discriminator: { propertyName: 'kind', mapping: { b: '#/components/schemas/B', c: 'C' } } }, // prettier-ignore
      B: { properties: { id: { type: 'integer' } }, $defs: { x: {} }, $id: 'https://example.com/b' },
      id: { type: 'boolean' },
    };
    const document = api(schemas);
    Object.assign(document.components, { parameters: { id: { schema: { type: 'string' } } } });
    const [a] = componentsOf(generate(fileSource(document)));
    expect(schemaOf(a)).toEqual({
      title: 'A',
      properties: { b: { $ref: '#/definitions/id' }, c: { $ref: '#/definitions/schema' } },
      discriminator: { propertyName: 'kind', mapping: { b: '#/definitions/B', c: 'C' } },
      definitions: {
        B: { properties: { id: { type: 'integer' } } },
        id: { type: 'integer' },
        schema: { type: 'string' },
      },
    });
  });

  it('takes a property, an example or a default named $ref for what it is', () => {
    const schema = { properties: { $ref: { type: 'string' } }, example: { $ref: '#/nowhere' }, default: { $ref: 'x' } };
    const generated = generate(fileSource(api({ A: schema })));
    expect(generated.warnings).toEqual([]);
    expect(schemaOf(componentsOf(generated)[0])).toEqual({ title: 'A', ...schema });
  });

  it('keeps references that lead out, drops those that lead nowhere, and warns of both', () => {
    const schemas = { A: { $ref: 'file:///etc/passwd' }, B: { properties: { x: { $ref: '#/components/schemas/Gone', description: 'x' } } }, C: { $ref: '#' } }; // prettier-ignore
    const generated = generate(fileSource(api(schemas)));
    expect(componentsOf(generated).map(schemaOf)).toEqual([
      { title: 'A', $ref: 'file:///etc/passwd' },
      { title: 'B', properties: { x: { description: 'x' } } },
      { title: 'C' },
    ]);
    expect(generated.warnings).toMatchObject([
      { pointer: '/components/schemas/A/$ref', line: 1, detail: expect.stringContaining('is not read') as unknown },
      { pointer: '/components/schemas/B/properties/x/$ref' },
      { pointer: '/components/schemas/C/$ref' },
    ]);
  });

  it('does not grow where references double', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const next = { $ref: `#/components/schemas/S${index + 1}` };
        return [`S${index}`, index < 39 ? { properties: { l: next, r: next } } : { type: 'string' }];
      }),
    );
    const components = componentsOf(generate(fileSource(api(schemas))));
    expect(components).toHaveLength(40);
    expect(components[0]?.schema.length).toBeLessThan(5000);
  });

  it('takes 2.0, 3.1 and 3.2, numbers as versions, and boolean schemas', () => {
    expect(componentsOf(generate(fileSource({ swagger: '2.0', info: { title: 'a' }, definitions: { A: { $ref: '#/definitions/B' }, B: {} } })))).toMatchObject([{ apiVersion: 'a/v1', schema: '{"title":"A","$ref":"#/definitions/B","definitions":{"B":{}}}' }, {}]); // prettier-ignore
    expect(componentsOf(generate(fileSource('openapi: 3.1\ncomponents: {schemas: {A: true, B: false, C: {enum: [on, off]}}}')))).toMatchObject([{ apiVersion: 'api/v1', schema: '{"title":"A"}' }, { schema: '{"title":"B","not":{}}' }, { schema: '{"title":"C","enum":["on","off"]}' }]); // prettier-ignore
    expect(componentsOf(generate(fileSource(api({ A: {} }, { openapi: '3.2.0' }))))).toHaveLength(1);
  });

  it('refuses what is no version, two versions, or without schemas, located', () => {
    const fault = (content: object) => generate(fileSource(content)).faults[0];
    expect(fault({ openapi: '4.0.0', components: { schemas: { A: {} } } })).toMatchObject({
      pointer: '/openapi',
      line: 1,
    });
    expect(fault({ swagger: '1.2', definitions: { A: {} } })).toMatchObject({ pointer: '/swagger' });
    expect(fault({ swagger: '2.0', openapi: '3.1.0' })).toMatchObject({ pointer: '/swagger', detail: expect.stringContaining('at once') as unknown }); // prettier-ignore
    expect(fault(api({}))).toMatchObject({ entity: 'file', pointer: '/components/schemas', remedy: expect.any(String) as unknown }); // prettier-ignore
  });

  it('lists schemas that are none beside those that are', () => {
    const { contents, faults } = generate(
      fileSource(api({ Good: {}, List: [], Text: 'x', constructor: { type: 'object' } })),
    );
    expect(contents[0]?.components.map(({ kind }) => kind)).toEqual(['Good', 'constructor']);
    expect(faults.map(({ pointer }) => pointer)).toEqual(['/components/schemas/List', '/components/schemas/Text']);
  });
});

describe('a document of Kubernetes', () => {
  const gvk = (kind: string, group = 'apps') => ({
    'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind }],
  });
  const meta = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { $ref: '#/definitions/meta.ObjectMeta' } }; // prettier-ignore
  const schemas = {
    'apps.Deployment': { properties: { ...meta, replicas: { format: 'int32', 'x-kubernetes-int-or-string': true } }, ...gvk('Deployment') }, // prettier-ignore
    'apps.DeploymentList': { properties: { ...meta, metadata: { $ref: '#/definitions/meta.ListMeta' } }, ...gvk('DeploymentList') }, // prettier-ignore
    'apps.Node': { properties: meta, ...gvk('Node') },
    'apps.Scale': { properties: meta, ...gvk('Scale') },
    'meta.DeleteOptions': { properties: { apiVersion: {}, kind: {} }, ...gvk('DeleteOptions') },
    'meta.ObjectMeta': { type: 'object' },
    'meta.ListMeta': { type: 'object' },
  };
  const operation = (kind: string) => ({ get: { 'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind } } }); // prettier-ignore
  const paths = {
    '/apis/apps/v1/': { get: {} },
    '/apis/apps/v1/deployments': operation('Deployment'),
    '/apis/apps/v1/namespaces/{namespace}/deployments': operation('Deployment'),
    '/apis/apps/v1/namespaces/{namespace}/deployments/{name}': operation('Deployment'),
    '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale': operation('Scale'),
    '/apis/apps/v1/nodes': operation('Node'),
    '/apis/apps/v1/watch/scales': operation('Scale'),
  };

  it('gives one component for each kind that has a path of its own', () => {
    const source = fileSource({ swagger: '2.0', info: { title: 'Kubernetes', version: 'unversioned' }, paths, definitions: schemas }); // prettier-ignore
    const { contents, faults } = generate(source);
    expect(faults).toEqual([]);
    expect(contents[0]?.model).toMatchObject({ name: 'kubernetes', version: 'v1.0.0', category: 'Orchestration & Management' }); // prettier-ignore
    expect(contents[0]?.components).toMatchObject([
      { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { isNamespaced: true, plural: 'deployments', subresources: ['scale'] } }, // prettier-ignore
      { kind: 'Node', apiVersion: 'apps/v1', metadata: { isNamespaced: false, plural: 'nodes' } },
    ]);
    expect(schemaOf(contents[0]?.components[0])).toMatchObject({
      properties: { replicas: { format: 'int32', 'x-kubernetes-int-or-string': true } },
      definitions: { 'meta.ObjectMeta': { type: 'object' } },
      ...gvk('Deployment'),
    });
  });

  it('finds kinds by what is created or read at a path where operations do not name them', () => {
    const body = { schema: { $ref: '#/definitions/v1.VirtualMachine' } };
    const document = {
      swagger: '2.0',
      info: { title: 'Machines' },
      paths: {
        '/apis/machines.example/v1/namespaces/{namespace}/virtualmachines': { post: { parameters: [body] } },
        '/apis/machines.example/v1/namespaces/{namespace}/virtualmachines/{name}/console': { get: {} },
        '/healthz': { get: {} },
      },
      definitions: { 'v1.VirtualMachine': { properties: meta }, 'meta.ObjectMeta': {} },
    };
    expect(componentsOf(generate(fileSource(document)))).toMatchObject([
      { kind: 'VirtualMachine', apiVersion: 'machines.example/v1', metadata: { isNamespaced: true, subresources: ['console'] } }, // prettier-ignore
    ]);
  });

  it('takes definitions alone, where a list identifies a resource', () => {
    const generated = generate(fileSource({ definitions: schemas }, 'v1.36.json'));
    expect(componentsOf(generated).map(({ kind, metadata }) => [kind, metadata])).toEqual([['Deployment', { isAnnotation: false }]]); // prettier-ignore
    expect(generated.contents[0]?.model.name).toBe('v1-36');
  });

  it('brings the documents of an archive together in one model', () => {
    const core = { openapi: '3.0.0', info: { title: 'Kubernetes' }, paths: { '/api/v1/pods': { get: gvk('Pod', '') } }, components: { schemas: { Pod: { properties: meta, ...gvk('Pod', '') } } } }; // prettier-ignore
    const apps = { openapi: '3.0.0', info: { title: 'Kubernetes' }, paths, components: { schemas } };
    const { contents, warnings } = generate(archiveSource({ 'v1.json': JSON.stringify(core), 'apps.json': JSON.stringify(apps), 'x.yaml': 'a: 1' })); // prettier-ignore
    expect(contents.map(({ components }) => components.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))).toEqual([['v1 Pod', 'apps/v1 Deployment', 'apps/v1 Node']]); // prettier-ignore
    expect(warnings.filter(({ file }) => file === 'x.yaml')).toHaveLength(1);
  });
});
