import { crdGenerator } from './crd-generator.js';
import { type GenerationResult, type GeneratorConfig } from './generator.js';
import { archiveSource, componentsOf, definitionYaml, fileSource, schemaOf } from './generator-source.fixture.js';
import { type GeneratorSource } from './generator-source.js';

const generate = (source: GeneratorSource, config: GeneratorConfig = {}) =>
  crdGenerator.generate(source, config) as GenerationResult;

const WIDGET = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.example.com', labels: { 'app.kubernetes.io/version': 'v2.3.4' } },
  spec: {
    group: 'shop.example.com',
    scope: 'Cluster',
    names: { kind: 'WidgetSet', plural: 'widgetsets', singular: 'widgetset', shortNames: ['ws'], categories: ['all'] },
    versions: [
      { name: 'v1alpha1', served: false, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A set of widgets.',
            properties: {
              port: { 'x-kubernetes-int-or-string': true, nullable: true },
              $ref: { type: 'string' },
              list: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
            },
            'x-kubernetes-validations': [{ rule: 'self.port > 0' }],
          },
        },
      },
    ],
  },
};

it('makes one component for each served version, with the schema as it stands', () => {
  const generated = generate(fileSource(WIDGET), { sourceUri: 'https://example.com/crd.json' });
  expect(generated).toMatchObject({ faults: [], warnings: [] });
  expect(generated.contents.map(({ model }) => model)).toMatchObject([{ name: 'example', version: 'v2.3.4', category: 'Orchestration & Management' }]); // prettier-ignore
  const [beta, stable] = componentsOf(generated);
  expect(beta).toMatchObject({ kind: 'WidgetSet', apiVersion: 'shop.example.com/v1beta1', metadata: { isDeprecated: true, isStorageVersion: false } }); // prettier-ignore
  expect(stable).toMatchObject({
    kind: 'WidgetSet',
    apiVersion: 'shop.example.com/v1',
    displayName: 'Widget Set',
    description: 'A set of widgets.',
    format: 'JSON',
    metadata: {
      isAnnotation: false,
      isNamespaced: false,
      plural: 'widgetsets',
      singular: 'widgetset',
      shortNames: ['ws'],
      categories: ['all'],
      subresources: ['scale', 'status'],
      isStorageVersion: true,
      source_uri: 'https://example.com/crd.json',
    },
  });
  const { title, ...schema } = schemaOf(stable);
  expect(title).toBe('Widget Set');
  expect(schema).toEqual(WIDGET.spec.versions[2]?.schema.openAPIV3Schema);
});

it('takes many documents, Lists, and the list that an API server answers', () => {
  const typed = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinitionList', items: [{ ...WIDGET, kind: undefined, apiVersion: undefined }] }; // prettier-ignore
  expect(componentsOf(generate(fileSource(typed)))).toHaveLength(2);
  const list = { apiVersion: 'v1', kind: 'List', items: [WIDGET, { apiVersion: 'v1', kind: 'List', items: [WIDGET] }] };
  expect(componentsOf(generate(fileSource(list)))).toHaveLength(2);
  const documents = ['apiVersion: v1\nkind: Namespace\n', definitionYaml('Certificate', 'cert-manager.io'), definitionYaml('Order', 'acme.cert-manager.io'), definitionYaml('Thing')]; // prettier-ignore
  const { contents, faults, warnings } = generate(fileSource(documents.join('---\n')));
  expect(contents.map(({ model, components }) => [model.name, components.map(({ kind }) => kind)])).toEqual([
    ['cert-manager', ['Certificate', 'Order']],
    ['example', ['Thing']],
  ]);
  expect([...faults, ...warnings]).toEqual([]);
  expect(generate(fileSource(documents.join('---\n')), { model: 'all' }).contents).toHaveLength(1);
});

it('takes the older form, whose one schema is that of every version', () => {
  const old = { apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'CustomResourceDefinition', spec: { group: 'old.example', version: 'v1', names: { kind: 'Old', plural: 'olds' }, validation: { openAPIV3Schema: { type: 'object', description: 'Old.' } } } }; // prettier-ignore
  const [component] = componentsOf(generate(fileSource(old)));
  expect(component).toMatchObject({ kind: 'Old', apiVersion: 'old.example/v1', description: 'Old.', metadata: { isNamespaced: true } }); // prettier-ignore
});

it('lists what is faulty, located, beside what is sound', () => {
  const faulty = definitionYaml('Bad')
    .replace('scope: Namespaced', 'scope: 7')
    .replace('group: things', 'group: THINGS');
  const twice = definitionYaml('Good').replace('A Good', 'Another Good');
  const { contents, faults } = generate(fileSource([definitionYaml('Good'), faulty, twice].join('---\n'), 'all.yaml'));
  expect(contents.flatMap(({ components }) => components.map(({ kind }) => kind))).toEqual(['Good']);
  expect(faults).toMatchObject([
    { entity: 'component', path: 'all.yaml', file: 'all.yaml', line: 25, column: 3, pointer: '/spec/group' },
    { line: 26, pointer: '/spec/scope', remedy: 'Write one of the two.' },
    { line: 48, pointer: '/spec/versions/0', detail: expect.stringContaining('given twice') as unknown },
  ]);
});

it('lists files of an archive that cannot be read', () => {
  const source = archiveSource({
    'a.yaml': definitionYaml('A'),
    'b.yaml': 'a: [',
    'README.md': '# {{',
    'c.yaml': 'a: 1',
  });
  const { contents, faults } = generate(source);
  expect(contents).toHaveLength(1);
  expect(faults).toMatchObject([{ entity: 'file', path: 'b.yaml', line: 1 }]);
});

it('warns of references, of versions without a schema, and of definitions that serve nothing', () => {
  const reference = definitionYaml('A').replace(
    'x-kubernetes-preserve-unknown-fields: true',
    '$ref: "https://example.com/x"',
  );
  const bare = definitionYaml('B').replace(/ {4}schema:[^]*/, '');
  const unserved = definitionYaml('C').replace('served: true', 'served: false');
  const generated = generate(fileSource([reference, bare, unserved].join('---\n')));
  expect(componentsOf(generated).map(({ kind, schema }) => [kind, schema !== ''])).toEqual([['A', true], ['B', false]]); // prettier-ignore
  expect(generated.warnings).toMatchObject([
    { line: 29, pointer: '/spec/versions/0/schema' },
    { line: 41, pointer: '/spec/versions' },
    { line: 18, pointer: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/$ref' },
  ]);
});

it('says what it wanted of a file without a definition', () => {
  const { contents, faults } = generate(fileSource('apiVersion: v1\nkind: Pod\n'));
  expect(contents).toEqual([]);
  expect(faults).toMatchObject([{ entity: 'file', path: 'source.yaml', detail: 'holds no CustomResourceDefinition' }]);
});
