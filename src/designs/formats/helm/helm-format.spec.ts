/* eslint-disable @typescript-eslint/no-unsafe-assignment -- Jest's matchers are of any type */
import { requires } from '../../../../test/support/requirements.js';
import { type InvalidRequest } from '../../../core/errors/app-error.js';
import { DocumentReader } from '../../../formats/documents/document-reader.js';
import { LocalRenderEngines } from '../../../formats/engines/local-render-engines.js';
import { WorkerPool } from '../../../core/workers/worker-pool.js';
import { archiveOf } from '../archive.fixture.js';
import { importDesign } from '../import-design.js';
import { type ImportedDesign, type ImportOptions } from '../format.js';
import { getHelmHook, isChartDefinition, isTestHook } from '../../../formats/design-file/helm-hook.js';
import { readHelmSettings, toReleaseName } from './release.js';

const HEAD = 'apiVersion: v2\nname: shop\nversion: 1.2.3\nappVersion: "7"\n';
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\ndata:\n  colour: {{ .Values.colour | quote }}\n'; // prettier-ignore
const CHART = { 'shop/Chart.yaml': HEAD, 'shop/values.yaml': 'colour: blue\n', 'shop/templates/map.yaml': MAP };

const pool = new WorkerPool();
const reader = new DocumentReader(pool);
afterAll(() => pool.close());

async function read(
  programs: LocalRenderEngines,
  files: Record<string, string | Buffer>,
  options: ImportOptions = {},
): Promise<ImportedDesign> {
  return importDesign(await archiveOf(files), reader, { programs, ...options });
}

const failure = (reading: Promise<unknown>): Promise<InvalidRequest> =>
  reading.then(
    () => Promise.reject(new Error('was taken')),
    (error: InvalidRequest) => error,
  );

requires('HELM_BIN', 'a chart', (helm) => {
  const programs = new LocalRenderEngines({ helm });
  const render = (files: Record<string, string | Buffer>, options?: ImportOptions) => read(programs, files, options);

  it('is rendered as a release named after the design, with its own values', async () => {
    const { design, name, sourceType, warnings } = await render(CHART);
    expect({ name, sourceType, warnings }).toEqual({ name: 'shop', sourceType: 'helm', warnings: [] });
    expect(design.components.map(({ configuration }) => configuration)).toEqual([
      { metadata: { name: 'shop' }, data: { colour: 'blue' } },
    ]);
    expect(design.components[0]?.metadata).toEqual({ helm: { template: 'templates/map.yaml' } });
    expect(readHelmSettings(design)).toEqual({
      chart: { name: 'shop', version: '1.2.3', appVersion: '7' },
      name: 'shop',
      values: {},
    });
  });

  it('takes values as text and as data, a name and a release', async () => {
    for (const values of ['colour: red # really', { colour: 'red' }]) {
      const options = { values, name: 'Größter Shop!', release: { name: 'mine', namespace: 'there' } };
      const { design } = await render(CHART, options);
      expect(design.name).toBe('Größter Shop!');
      expect(design.components[0]?.configuration).toEqual({
        metadata: { name: 'mine' },
        data: { colour: 'red' },
      });
      expect(readHelmSettings(design)).toMatchObject({ namespace: 'there', values: { colour: 'red' } });
    }
    const { design } = await render(CHART, { name: 'Größter Shop!' });
    expect(design.components[0]?.displayName).toBe('gro-ter-shop');
    expect(['', '---', 'x'.repeat(99)].map(toReleaseName)).toEqual(['release', 'release', 'x'.repeat(53)]);
  });

  it('takes the last of a label that is given twice, with a warning at its template', async () => {
    const twice =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n    app: one\n    tier: x\n    app: two\n    tier: x\n';
    const { design, warnings } = await render({ ...CHART, 'shop/templates/twice.yaml': twice });
    expect(design.components.find(({ displayName }) => displayName === 'a')?.configuration).toEqual({
      metadata: { name: 'a', labels: { app: 'two', tier: 'x' } },
    });
    expect(warnings).toEqual([
      {
        file: 'shop/templates/twice.yaml',
        detail: 'the key "app" is given twice; the last one counts (line 8 of what it renders to)',
        remedy: 'Keep one of the two.',
      },
    ]);
    const { errors } = await failure(render({ 'a.yaml': twice, 'b.yaml': 'a: 1' }));
    expect(errors).toMatchObject([{ file: 'a.yaml', line: 8, detail: 'the key "app" is given twice' }]);
  });

  it('refuses values that are no mapping, or a bomb', async () => {
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'.split('').map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]`).join('\n')}\n`; // prettier-ignore
    for (const values of ['- 1', 'word', bomb, 'a: [', 'a: 1\n---\nb: 2']) {
      const { status, errors } = await failure(render(CHART, { values }));
      expect({ status, errors }).toMatchObject({ status: 400, errors: [{ file: 'values', line: expect.any(Number) }] });
    }
  });

  it('has hooks, which are marked, definitions, and notes', async () => {
    const hook = (kind: string) => `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations:\n    helm.sh/hook: ${kind}\n    helm.sh/hook-weight: "-5"\n    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded\n`; // prettier-ignore
    const { design, warnings } = await render({
      ...CHART,
      'shop/crds/thing.yaml': 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.org\n', // prettier-ignore
      'shop/templates/hook.yaml': hook('pre-install, pre-upgrade'),
      'shop/templates/again.yaml': hook('post-delete'),
      'shop/templates/tests/ping.yaml': hook('test').replace('migrate', 'ping'),
      'shop/templates/empty.yaml': '---\n# nothing\n---\n{{ if false }}x{{ end }}\n',
      'shop/templates/NOTES.txt': 'Welcome to {{ .Chart.Name }}, "{{ .Release.Name }}".\n`{{ "{{" }}`\n',
    });
    expect(warnings).toEqual([]);
    const kinds = design.components.map(({ component, metadata }) => [
      component.kind,
      (metadata['helm'] as { template: string }).template,
    ]);
    expect(kinds).toEqual([
      ['CustomResourceDefinition', 'crds/thing.yaml'],
      ['ConfigMap', 'templates/map.yaml'],
      ['Job', 'templates/again.yaml'],
      ['Job', 'templates/hook.yaml'],
      ['Job', 'templates/tests/ping.yaml'],
    ]);
    const [, map, , migrate, ping] = design.components;
    expect(migrate && getHelmHook(migrate)).toEqual({
      events: ['pre-install', 'pre-upgrade'],
      weight: -5,
      delete_policies: ['before-hook-creation', 'hook-succeeded'],
    });
    expect(map && getHelmHook(map)).toBeUndefined();
    expect([ping, migrate].map((each) => each && isTestHook(each))).toEqual([true, false]);
    expect(new Set(design.components.map(({ id }) => id)).size).toBe(5);
    expect(design.metadata['helm']).toMatchObject({ notes: 'Welcome to shop, "shop".\n`{{`' });
  });

  it('knows the definitions of crds/, also of the charts that it depends on, from those of its templates', async () => {
    const definition = (name: string) => `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${name}.example.org\n`; // prettier-ignore
    const { design } = await render({
      ...CHART,
      'shop/crds/own.yaml': `${definition('first')}---\n${definition('second')}`,
      'shop/charts/sub/Chart.yaml': HEAD.replace('shop', 'sub'),
      'shop/charts/sub/crds/deep/sub.yaml': definition('sub'),
      'shop/templates/crds/template.yaml': definition('template'),
    });
    const marked = design.components.filter(isChartDefinition).map(({ displayName }) => displayName);
    expect(marked.sort()).toEqual(['first.example.org', 'second.example.org', 'sub.example.org']);
    expect(design.components).toHaveLength(5);
  });

  it('does not stop for notes that fail', async () => {
    const { design, warnings } = await render({
      ...CHART,
      'shop/templates/NOTES.txt': '{{ fail "no address is set" }}',
    });
    expect(design.components).toHaveLength(1);
    expect(warnings).toMatchObject([{ file: 'shop/templates/NOTES.txt', detail: expect.stringContaining('no address is set') }]); // prettier-ignore
  });

  it('has no namespace of its own, but those that differ from that of its release', async () => {
    const { design } = await render({ ...CHART, 'shop/templates/other.yaml': MAP.replace('{{ .Release.Namespace }}', 'kube-system') }); // prettier-ignore
    expect(design.components.map(({ configuration }) => configuration['metadata'])).toEqual([
      { name: 'shop' },
      { name: 'shop', namespace: 'kube-system' },
    ]);
  });

  it('brings its dependencies along: as folders, packed, or beside it in the archive', async () => {
    const sub = (at: string) => ({ [`${at}Chart.yaml`]: HEAD.replace('shop', 'sub'), [`${at}templates/s.yaml`]: MAP.replace('{{ .Release.Name }}', 'sub') }); // prettier-ignore
    const packed = Buffer.from((await archiveOf(sub('sub/'))).bytes);
    const needs = (repository: string) => `${HEAD}dependencies:\n- name: sub\n  version: "*"\n  repository: "${repository}"\n`; // prettier-ignore
    for (const files of [
      { ...CHART, 'shop/Chart.yaml': needs('https://example.org'), ...sub('shop/charts/sub/') },
      { ...CHART, 'shop/Chart.yaml': needs('https://example.org'), 'shop/charts/sub-1.2.3.tgz': packed },
      { ...CHART, 'shop/Chart.yaml': needs('file://../library'), ...sub('library/') },
    ]) {
      const { design } = await render(files);
      expect(design.components.map(({ displayName }) => displayName)).toEqual(['sub', 'shop']);
    }
    const { errors } = await failure(render({ ...CHART, 'shop/Chart.yaml': needs('https://example.org') }));
    expect(errors).toMatchObject([
      {
        file: 'shop/Chart.yaml',
        line: 6,
        column: 3,
        detail: expect.stringContaining('sub *'),
        remedy: expect.stringContaining('helm dependency build'),
      },
    ]);
  });

  it('is found at any depth, in any archive, but is one', async () => {
    const deeper = Object.fromEntries(Object.entries(CHART).map(([path, text]) => [`repo-main/charts/${path}`, text]));
    expect((await render({ ...deeper, 'repo-main/README.md': '#' })).name).toBe('shop');
    const flat = Object.fromEntries(Object.entries(CHART).map(([path, text]) => [path.slice('shop/'.length), text]));
    expect((await render(flat)).name).toBe('shop');
    const { errors } = await failure(render({ ...CHART, 'other/Chart.yaml': HEAD }));
    expect(errors[0]?.detail).toBe('holds 2 charts: shop, other');
  });

  it('reports the locations of faults in its templates', async () => {
    const wrong = async (text: string, more = {}) =>
      (await failure(render({ ...CHART, 'shop/templates/map.yaml': text, ...more }))).errors;
    await expect(wrong('a: {{ .Values.no.such }}\n')).resolves.toMatchObject([{ file: 'shop/templates/map.yaml', line: 1, column: expect.any(Number), detail: expect.stringContaining('nil pointer') }]); // prettier-ignore
    await expect(wrong('\n\na: {{ if }}\n')).resolves.toMatchObject([{ file: 'shop/templates/map.yaml', line: 3, detail: 'missing value for if' }]); // prettier-ignore
    await expect(wrong('a: {{ required "a host is needed" .Values.host }}\n')).resolves.toMatchObject([{ file: 'shop/templates/map.yaml', line: 1, column: 7, detail: 'a host is needed', remedy: 'Send the values that the chart asks for.' }]); // prettier-ignore
    await expect(wrong('a: b: c\n')).resolves.toMatchObject([{ file: 'shop/templates/map.yaml', detail: expect.stringContaining('not YAML') }]); // prettier-ignore
    await expect(wrong('apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n')).resolves.toMatchObject([{ file: 'shop/templates/map.yaml', detail: expect.stringContaining('metadata.name is missing') }]); // prettier-ignore
    const schema = { 'shop/values.schema.json': '{"type":"object","properties":{"colour":{"type":"integer"}},"required":["size"]}' }; // prettier-ignore
    expect((await wrong(MAP, schema)).map(({ detail }) => detail).join('\n')).toMatch(/size[^]*colour|colour[^]*size/);
  });

  it('reports all faults of its Chart.yaml at once', async () => {
    const { errors } = await failure(render({ ...CHART, 'shop/Chart.yaml': 'apiVersion: v3\nname: a b\nversion: 1.0\ntype: library\n' })); // prettier-ignore
    expect(errors.map(({ line, pointer }) => [line, pointer])).toEqual([
      [1, '/apiVersion'],
      [2, '/name'],
      [3, '/version'],
      [4, '/type'],
    ]);
    const headless = await failure(render({ 'shop/templates/map.yaml': MAP, 'shop/values.yaml': '' }));
    expect(headless.errors[0]?.detail).toBe('is a chart without Chart.yaml');
  });

  it('reads nothing outside of itself, and asks nobody', async () => {
    const secret = `${process.cwd()}/package.json`;
    const { design, warnings } = await render({
      ...CHART,
      'shop/templates/map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  file: {{ .Files.Get "${secret}" | quote }}\n  up: {{ .Files.Get "../../../../etc/passwd" | quote }}\n  host: {{ getHostByName "localhost" | quote }}\n  found: {{ lookup "v1" "Secret" "default" "" | toJson | quote }}\n`, // prettier-ignore
      'shop/values.schema.json': `{"$ref": "file:///etc/passwd", "properties": {"colour": {"$ref": "http://127.0.0.1:9/x"}}}`,
    });
    expect(warnings).toEqual([]);
    expect(design.components[0]?.configuration['data']).toEqual({ file: '', up: '', host: '', found: '{}' });
  });
});

describe('a chart on a server without Helm', () => {
  it('is refused with what to install', async () => {
    const programs = new LocalRenderEngines({ helm: '/nonexistent/helm' });
    expect(await programs.helm.isAvailable()).toBe(false);
    const error = await failure(read(programs, CHART));
    expect(error).toMatchObject({ status: 400, code: 'PROGRAM_MISSING', remedy: expect.stringContaining('HELM_BIN') });
    expect(error.errors).toMatchObject([{ file: 'shop/Chart.yaml' }]);
  });
});
