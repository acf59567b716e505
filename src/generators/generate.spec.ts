import { requires } from '../../test/support/requirements.js';
import { type AppError, InvalidRequest } from '../core/errors/app-error.js';
import { DEFAULT_FORMAT_LIMITS } from '../formats/sources/format-limits.js';
import { LocalRenderEngines } from '../formats/engines/local-render-engines.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { definitionDigest } from '../formats/definitions/definition-digest.js';
import { type GenerateOptions, generateModels } from './generate.js';
import { archive, bytesOf, definitionYaml } from './generator-source.fixture.js';

const pool = new WorkerPool();
afterAll(() => pool.close());

const generate = (content: string | Uint8Array, path = 'source.yaml', options: Partial<GenerateOptions> = {}) =>
  generateModels({ path, bytes: bytesOf(content) }, { pool, limits: DEFAULT_FORMAT_LIMITS, ...options });
const failure = (...input: Parameters<typeof generate>) =>
  generate(...input).then(
    () => Promise.reject(new Error('was taken')),
    (error: AppError) => error,
  );
const openapi = (schemas: object) => JSON.stringify({ openapi: '3.0.0', info: { title: 'Shop', version: '1' }, components: { schemas } }); // prettier-ignore

it('finds out what a source is, whatever its name', async () => {
  const names = async (...input: Parameters<typeof generate>) => (await generate(...input)).contents.map(({ model }) => model.name); // prettier-ignore
  const chart = { 'c/Chart.yaml': 'name: web\nversion: 1.0.0\n' };
  expect(await names(definitionYaml('A'), 'x.txt')).toEqual(['example']);
  expect(await names(openapi({ A: {} }), 'x.yaml')).toEqual(['shop']);
  expect(await names(await archive(chart), 'chart')).toEqual(['web']);
  expect(await names(await archive({ 'a.yaml': definitionYaml('A'), 'b/b.json': '{}' }))).toEqual(['example']);
  expect(await names(await archive({ 'a.json': openapi({ A: {} }) }))).toEqual(['shop']);
  const both = { ...chart, 'c/api.json': openapi({ A: {} }) };
  expect(await names(await archive(both), 'x.tgz', { kind: 'openapi' })).toEqual(['shop']);
});

it('carries everything over from the worker, in order', async () => {
  const schemas = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`S${index}`, { description: 'x'.repeat(20_000) }])); // prettier-ignore
  const { contents, faults } = await generate(openapi({ ...schemas, Bad: 1 }), 'big.json', { config: { model: 'm', version: 'v2' } }); // prettier-ignore
  expect(contents[0]).toMatchObject({ model: { name: 'm', version: 'v2' }, relationships: [] });
  expect(contents[0]?.components.map(({ kind }) => kind)).toEqual(Object.keys(schemas));
  for (const component of contents[0]?.components ?? []) expect(component.digest).toBe(definitionDigest(component));
  expect(faults).toMatchObject([{ entity: 'component', path: 'big.json', pointer: '/components/schemas/Bad' }]);
});

it('says what it saw and what it takes when a source is nothing that it knows', async () => {
  const seen = async (...input: Parameters<typeof generate>) => {
    const { code, message, remedy } = await failure(...input);
    expect([code, remedy]).toEqual(['UNKNOWN_FORMAT', expect.stringMatching(/OpenAPI|chart|kubectl|registered/)]);
    return message;
  };
  expect(await seen('apiVersion: apps/v1\nkind: Deployment\n---\nkind: Service\n')).toContain(
    'is Deployment, Service of Kubernetes',
  );
  expect(await seen('a: 1\nb: 2\n')).toContain('an object with a, b');
  expect(await seen('- a\n')).toContain('is a list');
  expect(await seen('# nothing\n')).toContain('nothing but comments');
  expect(await seen('apiVersion: v2\nname: x\n', 'Chart.yaml')).toContain('apiVersion, name');
  expect(await seen(await archive({ 'c/templates/a.yaml': 'a: 1' }))).toContain('holds 1 file, none of a known format');
});

it('refuses a source of which nothing is sound, with every fault', async () => {
  const error = await failure(definitionYaml('A').replace('group: things', 'group: TH').replace('Namespaced', 'x'));
  expect(error).toBeInstanceOf(InvalidRequest);
  expect(error).toMatchObject({ status: 400, errors: [{ line: 6, pointer: '/spec/group' }, { line: 7 }] });
  expect(await failure('a: [')).toMatchObject({ errors: [{ file: 'source.yaml', line: 1, column: 5 }] });
  expect(await failure('')).toMatchObject({ message: expect.stringContaining('is empty') as unknown });
  expect(await failure('text', 'x.tgz')).toMatchObject({ status: 400 });
});

it('gives the files of a chart to the renderer, and lists what it throws beside the rest', async () => {
  const chart = await archive({ 'c/Chart.yaml': 'name: web\nversion: 1.0.0\n', 'c/templates/a.yaml': '{{ if a }}\nkind: CustomResourceDefinition\n{{ end }}' }); // prettier-ignore
  const rendered = await generate(chart, 'c.tgz', {
    render: (files) => Promise.resolve(files.has('templates/a.yaml') ? definitionYaml('A') : ''),
  });
  expect(rendered.contents[0]?.components.map(({ kind }) => kind)).toEqual(['WebChart', 'A']);
  const fault = { file: 'c/templates/a.yaml', line: 1, detail: 'function "a" not defined' };
  const failed = await generate(chart, 'c.tgz', {
    render: () => Promise.reject(new InvalidRequest('The chart cannot be rendered.', { errors: [fault] })),
  });
  expect(failed.contents[0]?.components).toHaveLength(1);
  const without = await archive({ 'c/Chart.yaml': 'name: web\nversion: 1.0.0\n', 'c/templates/a.yaml': '{{ fail "name it" }}' }); // prettier-ignore
  await expect(generate(without, 'c.tgz', { render: () => Promise.reject(new Error('asked')) })).resolves.toMatchObject({ faults: [] }); // prettier-ignore
  expect(failed.faults).toEqual([{ entity: 'file', path: 'c/templates/a.yaml', ...fault }]);
  await expect(generate(chart, 'c.tgz', { render: () => Promise.reject(new Error('broken')) })).rejects.toThrow(
    'broken',
  );
});

it('keeps to its limits on schemas that all refer to each other', async () => {
  const link = (count: number, index: number) => ({ $ref: `#/components/schemas/S${index % count}` });
  const circle = (count: number, size: number) =>
    openapi(
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `S${index}`,
          { description: 'x'.repeat(size), properties: { a: link(count, index + 1), b: link(count, index * 7 + 1) } },
        ]),
      ),
    );
  const some = await generate(circle(1000, 1000), 'x.json');
  const length = some.contents[0]?.components.reduce((sum, { schema }) => sum + schema.length, 0);
  expect(length).toBeLessThan(52_000_000);
  expect(some.faults).toHaveLength(100);
  expect(some.faults.at(-1)?.detail).toMatch(/^\d+ more faults are not listed$/);
  expect(await failure(circle(4000, 1000), 'x.json')).toMatchObject({ errors: expect.arrayContaining([expect.objectContaining({ detail: expect.stringContaining('longer than 4000000') as unknown })]) as unknown }); // prettier-ignore
});

requires('HELM_BIN', 'a chart with definitions in its templates', (helm) => {
  it('is rendered, in a folder of its archive as "helm package" makes it', async () => {
    const { helm: program } = new LocalRenderEngines({ helm });
    const chart = await archive({
      'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'shop/templates/definition.yaml': `{{ if true }}\n${definitionYaml('A')}{{ end }}\n`,
    });
    const render: GenerateOptions['render'] = async (files) =>
      (await program.template(files, { releaseName: 'release', namespace: 'default' })).text;
    const { contents, faults } = await generate(chart, 'shop-1.0.0.tgz', { render });
    expect(faults).toEqual([]);
    expect(contents.flatMap(({ components }) => components.map(({ kind }) => kind)).sort()).toEqual(['A', 'ShopChart']);
  });
});
