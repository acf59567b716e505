import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { requires } from '../../../../test/support/requirements.js';
import { type InvalidRequest } from '../../../core/errors/app-error.js';
import { DocumentReader } from '../../../formats/documents/document-reader.js';
import { script } from '../../../formats/programs/program.fixture.js';
import { LocalRenderEngines } from '../../../formats/engines/local-render-engines.js';
import { WorkerPool } from '../../../core/workers/worker-pool.js';
import { archiveOf } from '../archive.fixture.js';
import { importDesign } from '../import-design.js';
import { type ImportedDesign } from '../format.js';

const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n';
const BASE = { 'base/kustomization.yaml': 'resources: [map.yaml]\n', 'base/map.yaml': MAP };
const OVERLAY = { ...BASE, 'prod/kustomization.yml': 'resources: [../base]\nnamePrefix: prod-\n' };

const pool = new WorkerPool();
const reader = new DocumentReader(pool);
afterAll(() => pool.close());

async function read(
  programs: LocalRenderEngines,
  files: Record<string, string>,
  path = 'shop.tgz',
): Promise<ImportedDesign> {
  return importDesign(await archiveOf(files, path), reader, { programs });
}

const failure = (reading: Promise<unknown>): Promise<InvalidRequest> =>
  reading.then(
    () => Promise.reject(new Error('was taken')),
    (error: InvalidRequest) => error,
  );

/** A stand-in that shows how the program is called: it answers with a resource that holds its arguments. */
const ECHO = 'case "$1" in version|--help) exit 0;; esac\n[ "$2" = --help ] && exit 0\nprintf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: called}\\ndata: {arguments: \\"%s\\"}\\n" "$*"'; // prettier-ignore

describe('a Kustomization', () => {
  it('is built by kustomize or by kubectl, each called as it wants to be, in the right folder', async () => {
    for (const [name, verb] of [
      ['kustomize', 'build'],
      ['kubectl', 'kustomize'],
    ] as const) {
      const program = await script(name, ECHO);
      const programs = new LocalRenderEngines({ kustomize: program.path });
      const { design, sourceType } = await read(programs, OVERLAY);
      await program.remove();
      expect(sourceType).toBe('kustomize');
      expect(design.components[0]?.configuration['data']).toEqual({
        arguments: `${verb} --load-restrictor LoadRestrictionsRootOnly ./prod`,
      });
    }
  });

  it('that fails says what the program said, without the place where it ran', async () => {
    const program = await script('kustomize', '[ "$1" = version ] && exit 0\necho "# Warning: old" >&2\necho "Error: bad patch in $PWD/prod" >&2\nexit 1'); // prettier-ignore
    const { errors } = await failure(read(new LocalRenderEngines({ kustomize: program.path }), OVERLAY));
    await program.remove();
    expect(errors).toEqual([{ file: 'prod/kustomization.yml', detail: 'bad patch in prod' }]);
  });

  const none = new LocalRenderEngines({ kustomize: '/nonexistent' });

  it('is refused with what to install on a server without the program', async () => {
    expect(await none.kustomize.isAvailable()).toBe(false);
    await expect(failure(read(none, OVERLAY))).resolves.toMatchObject({
      status: 400,
      code: 'PROGRAM_MISSING',
      remedy: expect.stringContaining('KUSTOMIZE_BIN') as unknown,
      errors: [{ file: 'prod/kustomization.yml' }],
    });
  });

  it('may name nothing remote, in no form and at no place, which is reported before anything runs', async () => {
    const remote = [
      'https://example.org/a.yaml',
      'github.com/org/repo//base?ref=v1',
      'git@github.com:org/repo.git',
      'git::https://example.org/repo',
      'ssh://git@example.org/repo',
      'user@example.org:repo',
      'http://169.254.169.254/latest',
    ];
    for (const path of remote) {
      const places = [
        `resources: ["${path}"]`,
        `bases: ["${path}"]`,
        `components: ["${path}"]`,
        `crds: ["${path}"]`,
        `transformers: ["${path}"]`,
        `patchesStrategicMerge: ["${path}"]`,
        `patches: [{path: "${path}"}]`,
        `openapi: {path: "${path}"}`,
        `configMapGenerator: [{name: a, files: ["key=${path}"]}]`,
        `secretGenerator: [{name: a, envs: ["${path}"]}]`,
      ];
      for (const place of places) {
        const { errors } = await failure(read(none, { 'kustomization.yaml': `# first\n${place}\n` }));
        expect({ place, errors }).toMatchObject({ place, errors: [{ file: 'kustomization.yaml', line: 2, detail: `${path} is remote, and nothing is fetched` }] }); // prettier-ignore
      }
    }
    const plugin = 'apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: [http://127.0.0.1/x]\n';
    const { errors } = await failure(read(none, { 'kustomization.yaml': 'generators: [g.yaml]', 'g.yaml': plugin }));
    expect(errors).toMatchObject([{ file: 'g.yaml', line: 4 }]);
    const inline = `generators:\n- |-\n  ${plugin.replaceAll('\n', '\n  ')}`;
    expect((await failure(read(none, { 'kustomization.yaml': inline }))).errors[0]?.detail).toContain('is remote');
    const folder = {
      'kustomization.yaml': 'generators: [g]',
      'g/kustomization.yaml': 'resources: [g.yaml]',
      'g/g.yaml': plugin,
    };
    expect((await failure(read(none, folder))).errors[0]?.detail).toBe('g is a folder');
  });

  it('must bring what it names, must not leave its folder, and may not inflate charts', async () => {
    const { errors } = await failure(
      read(none, {
        ...BASE,
        'top/kustomization.yaml': 'resources:\n- ../base\n- gone.yaml\n- /etc/passwd\n- ../../../etc\npatches:\n- path: ../base/map.yaml\nhelmCharts:\n- name: x\n', // prettier-ignore
      }),
    );
    expect(errors.map(({ line, detail }) => [line, detail])).toEqual([
      [3, 'gone.yaml is not part of the import'],
      [4, '/etc/passwd lies outside of the import'],
      [5, '../../../etc lies outside of the import'],
      [7, '../base/map.yaml lies outside of the folder of its Kustomization'],
      [8, 'helmCharts would fetch and run charts, which is off'],
    ]);
    const circle = { 'a/kustomization.yaml': 'resources: [../b]', 'b/kustomization.yaml': 'resources: [../a]' };
    await expect(failure(read(none, { ...circle, 'kustomization.yaml': 'resources: [a]' }))).resolves.toMatchObject({
      errors: [{ detail: 'names itself: a → b → a' }],
    });
  });

  it('is one, or one is on top of the others', async () => {
    const two = { ...OVERLAY, 'dev/kustomization.yaml': 'resources: [../base]' };
    const { errors } = await failure(read(none, two));
    expect(errors[0]?.detail).toBe('holds 2 Kustomizations that no other one uses: dev, prod');
    const program = await script('kustomize', ECHO);
    const component = { 'c/kustomization.yaml': 'kind: Component\nresources: []' };
    const only = await read(new LocalRenderEngines({ kustomize: program.path }), { ...component, ...BASE });
    expect(only.design.metadata).toEqual({ kustomize: { root: 'base' } });
    const onTop = { ...two, 'kustomization.yaml': 'resources: [base]' };
    const { warnings } = await read(new LocalRenderEngines({ kustomize: program.path }), onTop);
    await program.remove();
    expect(warnings).toEqual([{ file: 'the top folder', detail: 'is rendered; it does not use dev, prod, which are left out', remedy: 'Choose another one with the field path.' }]); // prettier-ignore
  });
});

requires('KUBEBUILDER_ASSETS', 'a Kustomization with the kustomize of kubectl', (assets) => {
  const programs = new LocalRenderEngines({ kustomize: join(assets, 'kubectl') });

  it('is rendered with its bases, patches and generators', async () => {
    const { design, name } = await read(programs, {
      ...BASE,
      'prod/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\nnamePrefix: prod-\npatches:\n- path: patch.yaml\nconfigMapGenerator:\n- name: files\n  files: [key=data/a.txt]\n  options: {disableNameSuffixHash: true}\n',
      'prod/patch.yaml': MAP.replace('blue', 'red'),
      'prod/data/a.txt': 'text\n',
    });
    expect(name).toBe('shop');
    expect(design.components.map(({ configuration }) => configuration)).toEqual([
      { metadata: { name: 'prod-files' }, data: { key: 'text\n' } },
      { metadata: { name: 'prod-settings' }, data: { colour: 'red' } },
    ]);
  });

  it('that is a Component is rendered alone when it can be', async () => {
    const head = 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n';
    const able = await read(programs, { 'kustomization.yaml': `${head}resources: [map.yaml]\n`, 'map.yaml': MAP });
    expect(able.design.components).toHaveLength(1);
    for (const more of ['namePrefix: x-\n', 'patches: [{path: map.yaml}]\n']) {
      const { errors } = await failure(read(programs, { 'kustomization.yaml': head + more, 'map.yaml': MAP }));
      expect(errors[0]?.remedy).toContain('Component');
    }
  });

  it('asks nobody, however it is written', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end(MAP);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/map.yaml`;
    const binary = Buffer.from(url).toString('base64');
    const forms = [
      `resources: [${url}]`,
      `Resources: [${url}]`,
      `re\u017fources: [${url}]`,
      `<<: {resources: [${url}]}`,
      `resources: [!!binary ${binary}]`,
      `resources: ["${url.replace('//', '\\u002f\\u002f')}"]`,
      `resources: [${url.replace('http', 'HTTP')}]`,
      `configMapGenerator: [{name: a, Files: ["a=${url}"]}]`,
      `configMapGenerator: [{name: a, <<: {files: ["a=${url}"]}}]`,
      `secretGenerator: [{name: a, envs: [!!binary ${binary}]}]`,
      `patches: [{PATH: ${url}}]`,
      `generators: ['{"apiVersion": "builtin", "kind": "ConfigMapGenerator", "metadata": {"name": "a"}, "FILES": ["${url}"]}']`,
      `openapi: {path: ${url}}`,
    ];
    for (const form of forms) await failure(read(programs, { 'kustomization.yaml': `${form}\n` }));
    server.close();
    expect(asked).toBe(0);
  });

  it('is taken as one file when it needs no other', async () => {
    const text = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nconfigMapGenerator:\n- name: a\n  literals: [b=c]\n'; // prettier-ignore
    const file = { path: 'any.yaml', bytes: Buffer.from(text) };
    const { design } = await importDesign(file, reader, { programs });
    expect(design.components[0]?.configuration['data']).toEqual({ b: 'c' });
    const needy = { path: 'kustomization.yaml', bytes: Buffer.from(`${text}resources: [a.yaml]\n`) };
    await expect(failure(importDesign(needy, reader, { programs }))).resolves.toMatchObject({
      errors: [{ line: 6, detail: 'a.yaml is not part of the import' }],
    });
  });
});
