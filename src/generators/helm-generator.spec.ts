import { type GeneratorConfig } from './generator.js';
import { helmGenerator } from './helm-generator.js';
import { archive, archiveSource, componentsOf, definitionYaml, schemaOf } from './generator-source.fixture.js';

const CHART = `apiVersion: v2
name: web-shop
version: 1.2.3
appVersion: "4.5"
description: A shop.
icon: https://example.com/icon.svg
home: https://example.com
sources: [https://github.com/example/shop]
keywords: [shop, web]
annotations:
  artifacthub.io/category: database
  artifacthub.io/license: MIT
`;

const generate = async (files: Record<string, string | Uint8Array>, config: GeneratorConfig = {}, rendered?: string) =>
  helmGenerator.generate(archiveSource(files, 'shop.tgz'), config, rendered);
const chart = (files: Record<string, string | Uint8Array>) => ({ 'shop/Chart.yaml': CHART, ...files });

it('makes a model of the chart, with a component for the chart itself', async () => {
  const { contents, faults, warnings } = await generate(chart({ 'shop/values.yaml': 'replicas: 1\n' }));
  expect([...faults, ...warnings]).toEqual([]);
  expect(contents).toMatchObject([
    {
      model: {
        name: 'web-shop',
        displayName: 'Web Shop',
        version: '1.2.3',
        description: 'A shop.',
        category: 'Database',
        metadata: {
          appVersion: '4.5',
          icon: 'https://example.com/icon.svg',
          home: 'https://example.com',
          sources: ['https://github.com/example/shop'],
          keywords: ['shop', 'web'],
          license: 'MIT',
        },
      },
      components: [
        {
          kind: 'WebShopChart',
          apiVersion: 'helm.sh/v2',
          displayName: 'Web Shop Chart',
          description: 'A shop.',
          metadata: { chart: 'web-shop', chartVersion: '1.2.3', schemaFrom: 'values.yaml' },
        },
      ],
    },
  ]);
});

it('takes the schema of the values as the chart states it', async () => {
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', required: ['a'], properties: { a: { $ref: '#/$defs/a' }, b: { $ref: 'https://example.com/b.json' } }, $defs: { a: {} } }; // prettier-ignore
  const generated = await generate(chart({ 'shop/values.yaml': 'a: 1', 'shop/values.schema.json': JSON.stringify(schema) })); // prettier-ignore
  expect(schemaOf(componentsOf(generated)[0])).toEqual({ title: 'Web Shop', ...schema });
  expect(generated.warnings).toMatchObject([{ file: 'shop/values.schema.json', pointer: '/properties/b/$ref' }]);
});

it('infers the schema from the values and their comments otherwise', async () => {
  const values = `# Values of the shop.
## @param image.tag Tag of the image
## @param extra [object] More
# -- (int) How many,
# at most.
# @default -- one
replicas:
# -- lost, since a line is empty below

image:
  # -- Where it comes from
  repository: example/shop
  tag: ""
  pullPolicy: IfNotPresent
ports: [80, 443]
mixed: [1, a]
extra: {}
on: yes
ratio: 0.5
`;
  const [component] = componentsOf(await generate(chart({ 'shop/values.yaml': values })));
  expect(schemaOf(component)).toEqual({
    title: 'Web Shop',
    type: 'object',
    properties: {
      replicas: { description: 'How many, at most.', type: 'integer', default: null },
      image: {
        type: 'object',
        properties: {
          repository: { description: 'Where it comes from', type: 'string', default: 'example/shop' },
          tag: { description: 'Tag of the image', type: 'string', default: '' },
          pullPolicy: { type: 'string', default: 'IfNotPresent' },
        },
      },
      ports: { type: 'array', default: [80, 443], items: { type: 'integer' } },
      mixed: { type: 'array', default: [1, 'a'] },
      extra: { description: 'More', type: 'object', default: {} },
      on: { type: 'boolean', default: true },
      ratio: { type: 'number', default: 0.5 },
    },
  });
});

it('finds definitions of the chart and of its subcharts, packed or not, at any depth', async () => {
  const deepest = await archive({ 'd/Chart.yaml': 'name: d\nversion: 1.0.0\n', 'd/crds/d.yaml': definitionYaml('D') });
  const packed = await archive({ 'c/Chart.yaml': 'name: c\nversion: 1.0.0\n', 'c/crds/x/c.yml': definitionYaml('C'), 'c/charts/d-1.0.0.tgz': deepest }); // prettier-ignore
  const generated = await generate(
    chart({
      'shop/crds/a.yaml': `${definitionYaml('A')}---\na: 1\n`,
      'shop/crds/README.md': '{{',
      'shop/charts/b/Chart.yaml': 'name: b\nversion: 1.0.0\n',
      'shop/charts/b/crds/b.yaml': definitionYaml('B', 'other.example.org'),
      'shop/charts/c-1.0.0.tgz': packed,
      'shop/charts/bad.tgz': 'text',
      'shop/files/crds/no.yaml': definitionYaml('No'),
    }),
  );
  expect(generated.contents).toHaveLength(1);
  expect(componentsOf(generated).map(({ kind }) => kind)).toEqual(['WebShopChart', 'A', 'B', 'C', 'D']);
  expect(generated.faults).toMatchObject([{ entity: 'file', path: 'shop/charts/bad.tgz' }]);
});

it('takes definitions of templates as rendered, or those that are plain', async () => {
  const files = chart({ 'shop/templates/a.yaml': definitionYaml('A'), 'shop/templates/b.yaml': `{{ if .Values.b }}\n${definitionYaml('B')}{{ end }}`, 'shop/templates/c.yaml': '{{ . }}' }); // prettier-ignore
  const plain = await generate(files);
  expect(componentsOf(plain).map(({ kind }) => kind)).toEqual(['WebShopChart', 'A']);
  expect(plain.warnings).toMatchObject([{ file: 'shop/templates/b.yaml', remedy: expect.stringContaining('HELM_BIN') as unknown }]); // prettier-ignore
  const text = `---\n# Source: c.yaml\na: [\n---\n${definitionYaml('A')}---\n${definitionYaml('B').replace('served: true', 'served: 1')}---\n${definitionYaml('C').replace('group: things', 'group: THINGS')}`; // prettier-ignore
  const rendered = await generate(files, {}, text);
  expect(componentsOf(rendered).map(({ kind }) => kind)).toEqual(['WebShopChart', 'A']);
  expect(rendered.faults).toMatchObject([{ path: 'shop.tgz (rendered)', pointer: '/spec/group', line: 48 }]);
});

it('reports missing dependencies, and refuses a chart that is its own', async () => {
  const dependencies =
    'dependencies:\n- {name: there, version: 1.0.0}\n- {name: redis, repository: "file://../../etc"}\n';
  const { contents, warnings } = await generate({ 'shop/Chart.yaml': CHART + dependencies, 'shop/charts/there/Chart.yaml': 'name: there' }); // prettier-ignore
  expect(contents).toHaveLength(1);
  expect(warnings).toMatchObject([{ file: 'shop/Chart.yaml', line: 15, pointer: '/dependencies/1' }]);
  const circle = await generate({ 'shop/Chart.yaml': `${CHART}dependencies: [{name: web-shop}]\n` });
  expect(circle).toMatchObject({ contents: [], faults: [{ entity: 'model', line: 13, pointer: '/dependencies/0' }] });
});

it('refuses charts without sound name and version, with unreadable values, and several at once', async () => {
  const faults = async (files: Record<string, string>) => (await generate(files)).faults;
  expect(await faults({ 'shop/Chart.yaml': 'name: ../x\nversion: latest\n' })).toMatchObject([{ pointer: '/name', line: 1 }, { pointer: '/version', line: 2 }]); // prettier-ignore
  expect(await faults({ 'shop/Chart.yaml': '- a\n' })).toMatchObject([{ detail: 'must be an object' }]);
  expect(await faults(chart({ 'shop/values.yaml': 'a: [' }))).toMatchObject([{ path: 'shop/values.yaml', line: 1 }]);
  expect(await faults(chart({ 'shop/values.yaml': '- a' }))).toMatchObject([{ detail: 'must be an object' }]);
  expect(await faults({ 'a/Chart.yaml': CHART, 'b/Chart.yaml': CHART })).toMatchObject([{ detail: 'holds 2 charts (a/, b/)' }]); // prettier-ignore
});
