import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { InvalidRequest } from '../src/core/errors/app-error.js';
import { archiveOf } from '../src/designs/formats/archive.fixture.js';
import { importDesign } from '../src/designs/formats/import-design.js';
import { DocumentReader } from '../src/formats/documents/document-reader.js';
import { LocalRenderEngines } from '../src/formats/engines/local-render-engines.js';
import { InlineTaskRunner } from '../src/core/workers/task.js';
import type { Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { World } from './support/world.js';

type Files = Record<string, string>;

const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n';
const plugin = (kind: string, fields: string): string =>
  `apiVersion: builtin\nkind: ${kind}\nmetadata: {name: a}\n${fields}\n`;
const indented = (text: string): string => text.trimEnd().replaceAll('\n', '\n  ');

/** The address in every spelling that YAML, Go or git might take for it. */
function spellings(url: string): string[] {
  const { host, port } = new URL(url);
  const path = `:${port}/map.yaml`;
  return [
    url,
    url.replace('http', 'HTTP'),
    `${url}?ref=main`,
    ` ${url} `,
    `git::${url}`,
    `git::${url}//base?ref=main`,
    `http://user:pass@${host}/map.yaml`,
    `http://localhost${path}`,
    `http://localhost.${path}`,
    `http://2130706433${path}`,
    `http://0x7f.1${path}`,
    `http://0177.0.0.1${path}`,
    `http://[::ffff:127.0.0.1]${path}`,
    `http:${host}/map.yaml`,
    `${host}/map.yaml`,
    `git@127.0.0.1:${port}/repo.git`,
    `ssh://git@${host}/repo.git`,
    `github.com/example/repo`,
    `file:///etc/passwd`,
    '/etc/passwd',
    '../../../../etc/passwd',
  ];
}

/** Kustomizations that name an address at each place where one can be named. */
function named(address: string): Files[] {
  const text = JSON.stringify(address);
  const builtins = [
    plugin('PatchStrategicMergeTransformer', `paths: [${text}]`),
    plugin('PatchTransformer', `path: ${text}`),
    plugin('PatchJson6902Transformer', `target: {kind: ConfigMap, name: settings}\npath: ${text}`),
    plugin('ReplacementTransformer', `replacements: [{path: ${text}}]`),
    plugin('ConfigMapGenerator', `files: [${text}]`),
    plugin('ConfigMapGenerator', `files: [${JSON.stringify(`key=${address}`)}]`),
    plugin('ConfigMapGenerator', `env: ${text}`),
    plugin('SecretGenerator', `envs: [${text}]`),
  ];
  const lists = ['resources', 'bases', 'components', 'crds', 'configurations', 'patchesStrategicMerge'];
  const inline = [
    ...[...lists, 'generators', 'transformers', 'validators'].map((field) => `${field}: [${text}]`),
    `patches: [{path: ${text}, target: {kind: ConfigMap}}]`,
    `patchesJson6902: [{path: ${text}, target: {version: v1, kind: ConfigMap, name: settings}}]`,
    `replacements: [{path: ${text}}]`,
    `openapi: {path: ${text}}`,
    `configMapGenerator: [{name: a, files: [${JSON.stringify(`key=${address}`)}]}]`,
    `configMapGenerator: [{name: a, env: ${text}}]`,
    `secretGenerator: [{name: a, envs: [${text}]}]`,
  ];
  const top = (field: string): string => `resources: [map.yaml]\n${field}\n`;
  return [
    ...inline.map((field) => ({ 'kustomization.yaml': field.startsWith('resources') ? field : top(field) })),
    ...builtins.flatMap((text): Files[] => [
      { 'kustomization.yaml': top('transformers: [plugin.yaml]'), 'plugin.yaml': text },
      { 'kustomization.yaml': top(`generators:\n- |-\n  ${indented(text)}`) },
      { 'kustomization.yaml': 'resources: [base]\n', 'base/kustomization.yaml': 'validators: [plugin.yaml]\n', 'base/plugin.yaml': text }, // prettier-ignore
    ]),
  ];
}

/** Ways around a reader who looks for addresses in the right places. */
function hidden(url: string): Files[] {
  const binary = Buffer.from(url).toString('base64');
  const chart = plugin('HelmChartInflationGenerator', `repo: ${url}\nchartName: a`);
  const paths = plugin('PatchStrategicMergeTransformer', `paths: [${url}]`);
  return [
    { 'kustomization.yaml': `Resources: [${url}]` },
    { 'kustomization.yaml': `re\u017fources: [${url}]` },
    { 'kustomization.yaml': `<<: {resources: [${url}]}` },
    { 'kustomization.yaml': `resources: [!!binary ${binary}]` },
    { 'kustomization.yaml': `patches: [{PATH: ${url}}]` },
    { 'kustomization.yaml': `configMapGenerator: [{name: a, <<: {files: ["a=${url}"]}}]` },
    { 'kustomization.yaml': `resources: ${url}` },
    { 'kustomization.yaml': `resources: [{url: ${url}}]` },
    { 'kustomization.yaml': `patchesStrategicMerge: ["http: //${new URL(url).host}/map.yaml"]\nresources: [map.yaml]` },
    { 'kustomization.yaml': `patchesStrategicMerge: ["${url}\\n"]\nresources: [map.yaml]` },
    { 'kustomization.yaml': `helmCharts: [{name: a, repo: ${url}}]` },
    { 'kustomization.yaml': `helmChartInflationGenerator: [{chartName: a, chartRepoUrl: ${url}}]` },
    { 'kustomization.yaml': 'generators: [g.yaml]', 'g.yaml': chart },
    { 'kustomization.yaml': 'generators: [g.yaml]', 'g.yaml': `${MAP}---\n${chart}` },
    { 'kustomization.yaml': 'transformers: [g.yaml]', 'g.yaml': `apiVersion: v1\nkind: List\nitems: [${JSON.stringify({ apiVersion: 'builtin', kind: 'PatchStrategicMergeTransformer', metadata: { name: 'a' }, paths: [url] })}]` }, // prettier-ignore
    { 'kustomization.yaml': 'transformers: [g.yaml]', 'g.yaml': paths.replace('paths', 'Paths') },
    { 'kustomization.yaml': 'transformers: [g.yaml]', 'g.yaml': paths.replace('builtin', 'example.org/v1') },
    { 'kustomization.yaml': 'transformers: [g.yaml]', 'g.yaml': paths.replace('{name: a}', `{name: a, annotations: {config.kubernetes.io/function: "container: {image: a, network: true}"}}`) }, // prettier-ignore
    { 'kustomization.yaml': 'transformers: [g]', 'g/kustomization.yaml': 'resources: [g.yaml]', 'g/g.yaml': paths },
    { 'kustomization.yaml': 'resources: [map.yaml]\ntransformers: [g.yaml]\n', 'g.yaml': `kind: PatchStrategicMergeTransformer\napiVersion: builtin\nmetadata: {name: a}\npatches: |-\n  ${url}\n` }, // prettier-ignore
  ];
}

const refused = (reading: Promise<unknown>): Promise<InvalidRequest> =>
  reading.then(
    () => Promise.reject(new Error('was taken')),
    (error: InvalidRequest) => error,
  );

requires('KUBEBUILDER_ASSETS', 'a Kustomization that names an address of this machine', (assets) => {
  const kustomize = join(assets, 'kubectl');
  let server: Server;
  let url: string;
  let asked: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(MAP);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/map.yaml`;
  });
  beforeEach(() => (asked = []));
  afterAll(() => server.close());

  const whole = (files: Files): Files => ({ 'map.yaml': MAP, 'base/map.yaml': MAP, ...files });
  const attacks = (): Files[] => [...spellings(url).flatMap(named), ...hidden(url)].map(whole);

  it('reaches nobody by the fields that are allowed alone', async () => {
    const reader = new DocumentReader(new InlineTaskRunner());
    const programs = new LocalRenderEngines({ kustomize }, undefined, {}, { mode: 'off' });
    for (const files of attacks()) {
      const reading = refused(importDesign(await archiveOf(files, 'a.tgz'), reader, { programs }));
      const { errors } = await reading.catch((error: unknown) => Promise.reject(new Error(JSON.stringify(files), { cause: error }))); // prettier-ignore
      expect({ files, errors }).toEqual({ files, errors: expect.arrayContaining([expect.objectContaining({ file: expect.any(String) as string })]) as unknown }); // prettier-ignore
    }
    expect(asked).toEqual([]);
  });

  it('reaches nobody by isolation alone, where the system has it', async () => {
    const transformer = plugin('PatchStrategicMergeTransformer', `paths: [${url}]`);
    const texts = { 'kustomization.yaml': 'resources: [map.yaml]\ntransformers: [t.yaml]\n', 'map.yaml': MAP, 't.yaml': transformer }; // prettier-ignore
    const files = new Map(Object.entries(texts).map(([path, text]) => [path, { path, bytes: Buffer.from(text) }]));
    const isolated = new LocalRenderEngines({ kustomize });
    const works = await isolated.checkIsolation();
    if (works) await expect(isolated.kustomize.build(files, '')).rejects.toThrow('render');
    expect(asked).toEqual([]);
    // The same without isolation and without the check shows that the attack is one.
    await new LocalRenderEngines({ kustomize }, undefined, {}, { mode: 'off' }).kustomize.build(files, '');
    expect(asked).toEqual(['/map.yaml']);
  });

  describe('over the wire', () => {
    let world: World;
    let editor: Person;
    beforeAll(async () => {
      world = await World.start({ KUSTOMIZE_BIN: kustomize });
      editor = world.admin;
    });
    afterAll(() => world.stop());

    it('is refused, and nobody is asked', async () => {
      for (const files of [...named(url), ...hidden(url)].map(whole)) {
        const { bytes } = await archiveOf(files, 'a.tgz');
        const { status, body } = await editor.upload('/api/pattern/import', 'a.tgz', new Uint8Array(bytes));
        expect({ files, status, code: body.code }).toEqual({ files, status: 400, code: 'VALIDATION_FAILED' });
        expect(body.errors[0]).toMatchObject({ file: expect.any(String) as string, detail: expect.any(String) as string }); // prettier-ignore
      }
      expect(asked).toEqual([]);
    }, 60_000);

    it('leaves no path of this machine in what the program says', async () => {
      const broken: Files[] = [
        { 'kustomization.yaml': 'resources: [map.yaml]\npatches: [{path: p.yaml}]\n', 'p.yaml': MAP.replace('settings', 'other') }, // prettier-ignore
        { 'kustomization.yaml': 'resources: [map.yaml, again.yaml]\n', 'again.yaml': MAP },
        { 'kustomization.yaml': 'resources: [map.yaml]\ncrds: [p.yaml]\n', 'p.yaml': '- 1' },
        { 'kustomization.yaml': 'resources: [map.yaml]\nconfigurations: [p.yaml]\n', 'p.yaml': 'nameReference: 1' },
        { 'kustomization.yaml': 'resources: [base]\nnamePrefix: {a: b}\n', 'base/kustomization.yaml': 'resources: [map.yaml]\nimages: 3\n' }, // prettier-ignore
      ];
      for (const files of broken) {
        const { bytes } = await archiveOf(whole(files), 'a.tgz');
        const { status, body } = await editor.upload('/api/pattern/import', 'a.tgz', new Uint8Array(bytes));
        expect({ files, status }).toEqual({ files, status: 400 });
        expect(JSON.stringify(body)).not.toMatch(/armature-run|\/tmp\/|\/work\b|\/root\//);
      }
    });

    it('still renders what is named within the import', async () => {
      const files = {
        'kustomization.yaml':
          'resources: [base]\ntransformers: [t.yaml]\nconfigMapGenerator: [{name: b, files: [a=data.txt], options: {disableNameSuffixHash: true}}]\n',
        'base/kustomization.yaml': 'resources: [map.yaml]\n',
        't.yaml': plugin('PatchStrategicMergeTransformer', 'paths: [p.yaml]'),
        'p.yaml': `${MAP}data: {colour: red}\n`,
        'data.txt': 'text',
      };
      const { bytes } = await archiveOf(whole(files), 'a.tgz');
      const { status, body } = await editor.upload('/api/pattern/import', 'a.tgz', new Uint8Array(bytes));
      expect({ status, body }).toMatchObject({ status: 201 });
      expect(body.pattern_file).toContain('colour: red');
    });
  });
});
