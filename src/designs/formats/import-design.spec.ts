import { gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { pack } from 'tar-stream';
import { type InvalidRequest } from '../../core/errors/app-error.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { toYaml } from '../../formats/documents/yaml-writer.js';
import { importDesign, importDesignAs } from './import-design.js';
import { designNameOf } from './design-input.js';
import { type ImportOptions } from './format.js';
import { toManifest } from './kubernetes-format.js';
import { parseSourceTypes } from './source-type.js';

const pool = new WorkerPool();
const reader = new DocumentReader(pool);
afterAll(() => pool.close());

const read = (text: string | Uint8Array, options?: ImportOptions, path = 'shop.yaml') =>
  importDesign({ path, bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text }, reader, options);

const failure = (text: string | Uint8Array, path?: string) =>
  read(text, {}, path).then(
    () => Promise.reject(new Error('was taken')),
    (error: InvalidRequest) => error,
  );

async function archive(files: Record<string, string>): Promise<Uint8Array> {
  const stream = pack();
  const chunks: Uint8Array[] = [];
  stream.on('data', (chunk) => chunks.push(chunk as Uint8Array));
  for (const [name, text] of Object.entries(files)) stream.entry({ name }, text);
  stream.finalize();
  await once(stream, 'end');
  return gzipSync(Buffer.concat(chunks));
}

const map = (name: string, more = '') => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

describe('importing a Kubernetes manifest', () => {
  it('takes many documents, Lists and empty documents, in order', async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: v1, kind: Pod, metadata: {generateName: c-}}\n`;
    const typed = 'apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: d}}]\n';
    const result = await read(`# head\n---\n${map('a')}---\n---\n${list}---\n${typed}`);
    expect(result).toMatchObject({ name: 'shop', sourceType: 'kubernetes', warnings: [] });
    expect(toManifest(result.design).resources).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'c-' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'd' } },
    ]);
  });

  it('warns of owners on another cluster, without whom the object would be deleted', async () => {
    const owner = '[{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: 0a}]';
    const { warnings } = await read(map('a', `  ownerReferences: ${owner}\n`));
    expect(warnings).toMatchObject([{ line: 5, detail: expect.stringContaining('ReplicaSet web-1') as string }]);
    expect((await read(map('a', '  ownerReferences: []\n'))).warnings).toEqual([]);
  });

  it('takes JSON, and a name of the caller', async () => {
    const result = await read('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}', { name: 'mine' });
    expect(result).toMatchObject({ name: 'mine', design: { name: 'mine', components: [{ displayName: 'a' }] } });
  });

  it('keeps types on the way in and out', async () => {
    const data =
      'data: {a: "1", b: "yes", c: "0644", d: "null", e: "1e3", f: "2024-01-01", g: "a\\nb\\n"}\nspec: {mode: 0644, on: true, none: ~, half: 0.5, time: 2024-01-01}\n';
    const { design } = await read(map('a', data));
    const again = await read(toYaml(toManifest(design).resources));
    expect(again.design.components).toEqual(design.components);
    expect(design.components[0]?.configuration).toMatchObject({ spec: { mode: 420, on: true, none: null, half: 0.5, time: '2024-01-01' } }); // prettier-ignore
  });

  it('names file, line, column, document and field of each fault, all at once', async () => {
    const documents = Array.from({ length: 9 }, (_, index) => map(`m${index}`));
    documents[6] = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {a: b}\n';
    documents[7] = 'apiVersion: 1\nmetadata:\n  name: 5\n';
    documents[8] = map('m0');
    const { errors, message } = await failure(documents.join('---\n'), 'all.yaml');
    expect(errors).toEqual([
      expect.objectContaining({ file: 'all.yaml', line: 33, column: 1, pointer: '/metadata/name', detail: 'document 7: metadata.name is missing' }),
      expect.objectContaining({ line: 36, column: 1, pointer: '/apiVersion' }),
      expect.objectContaining({ line: 36, column: 1, pointer: '/kind', detail: 'document 8: kind is missing' }),
      expect.objectContaining({ line: 38, column: 3, pointer: '/metadata/name', remedy: 'Put 5 in quotes.' }),
      expect.objectContaining({ line: 40, detail: expect.stringContaining('ConfigMap m0, which is given already at line 1') as unknown }),
    ]); // prettier-ignore
    expect(message).toContain('line 33');
  });

  it('warns of labels and annotations that are not text', async () => {
    const { warnings } = await read(map('a', '  labels: {a: 1, b: "1"}\n  annotations:\n    c: true\n'));
    expect(warnings.map(({ line, pointer }) => [line, pointer])).toEqual([
      [5, '/metadata/labels/a'],
      [7, '/metadata/annotations/c'],
    ]);
  });

  it('takes an archive of plain manifests, and locates its faults in its files', async () => {
    const good = await read(await archive({ 'k/a.yaml': map('a'), 'k/b.json': '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}', 'k/README.md': '# {{', 'k/values.yaml': 'x: 1' }), {}, 'shop.tgz'); // prettier-ignore
    expect(good).toMatchObject({ name: 'shop', sourceType: 'kubernetes', design: { components: { length: 2 } } });
    expect(good.warnings).toEqual([{ file: 'k/values.yaml', detail: 'holds no resource and is left out' }]);
    const bad = await failure(await archive({ 'a.yaml': map('a'), 'b.yaml': 'a: [', 'c.yaml': map('a'), 'd.yaml': 'x: 1' }), 'x.tar.gz'); // prettier-ignore
    expect(new Set(bad.errors.map(({ file }) => file))).toEqual(new Set(['b.yaml', 'c.yaml']));
  });
});

describe('importing a design', () => {
  const design = { name: 'd', schemaVersion: 'designs.meshery.io/v1beta1', components: [{ component: { kind: 'Pod', version: 'v1' } }] }; // prettier-ignore

  it('takes YAML and JSON under any name, canonical or with services', async () => {
    for (const text of [JSON.stringify(design), toYaml([design])]) {
      await expect(read(text, {}, 'x.yml')).resolves.toMatchObject({ name: 'd', sourceType: 'design' });
    }
    const older = await read('name: old\nversion: 0.0.1\nservices:\n  web:\n    type: Pod\n    apiVersion: v1\n');
    expect(older).toMatchObject({ name: 'old', design: { components: [{ displayName: 'web' }] } });
    await expect(read('{"name":"e","version":"1","services":{}}')).resolves.toMatchObject({
      design: { components: [] },
    });
  });

  it('takes the design of an exported archive', async () => {
    const bytes = await archive({ 'x/design.yml': toYaml([design]), 'x/artifacthub-pkg.yml': 'name: x' });
    await expect(read(bytes, {}, 'x.zip.tgz')).resolves.toMatchObject({ name: 'd', sourceType: 'design' });
  });

  it('locates faults in the text', async () => {
    const { errors } = await failure(
      'schemaVersion: designs.meshery.io/v1beta1\nname: d\ncomponents:\n- component: {}\n- 7\n',
    );
    expect(errors.map(({ line, column, pointer }) => [line, column, pointer])).toEqual([
      [4, 3, '/components/0/component/kind'],
      [5, 3, '/components/1'],
    ]);
  });
});

describe('importing what is nothing of it', () => {
  it.each([
    ['a word', 'hello'],
    ['a list', '- 1\n- 2'],
    ['unknown keys', 'foo: 1\nbar: 2'],
    ['the head of a chart', 'apiVersion: v2\nname: chart\nversion: 1.0.0'],
    ['a component definition', 'schemaVersion: components.meshery.io/v1beta1\ncomponent: {kind: Pod}'],
    ['only comments', '# nothing\n---\n# here\n'],
  ])('says what it saw and what is accepted: %s', async (_, text) => {
    const error = await failure(text);
    expect(error).toMatchObject({ status: 400, code: 'UNKNOWN_FORMAT' });
    expect(error.errors[0]).toMatchObject({ file: 'shop.yaml', line: 1, column: 1 });
    expect(error.remedy).toBeTruthy();
  });

  it('names the misspelt keys of a Compose file', async () => {
    const { errors } = await failure('services:\n  web:\n    imagee: nginx\n    prots: ["80:80"]\n');
    expect(errors.map(({ line, detail, remedy }) => [line, `${detail} ${remedy}`])).toEqual([
      [3, expect.stringMatching(/imagee.*image/)],
      [4, expect.stringMatching(/prots.*ports/)],
    ]);
    expect((await failure('version: "3"\nservcies:\n  web: {image: nginx}\n')).remedy).toContain('"services"');
  });

  it('refuses an empty file and an archive of other things', async () => {
    await expect(failure('')).resolves.toMatchObject({ status: 400 });
    await expect(failure(await archive({ 'a.txt': 'x' }), 'a.tgz')).resolves.toMatchObject({ code: 'UNKNOWN_FORMAT' });
    await expect(failure('{}', 'a.json')).resolves.toMatchObject({ message: 'a.json: is an empty object' });
    await expect(failure(await archive({ 'Chart.yaml': 'name: x', 'templates/a.yaml': map('a') }), 'a.tgz')).resolves.toMatchObject({ status: 400 }); // prettier-ignore
  });

  it('recognizes a template that was not rendered', async () => {
    expect((await failure(map('{{ .Values.name }}'))).errors[0]?.line).toBe(4);
  });
});

describe('importDesignAs', () => {
  const file = { path: 'a.yaml', bytes: new TextEncoder().encode(map('a')) };

  it('reads only as what the caller says', async () => {
    await expect(importDesignAs(parseSourceTypes('yaml'), file, reader)).resolves.toMatchObject({
      sourceType: 'kubernetes',
    });
    await expect(importDesignAs(['design'], file, reader)).rejects.toMatchObject({ status: 400 });
    expect(parseSourceTypes('docker-compose')).toEqual(['docker-compose']);
    expect(parseSourceTypes('toString')).toEqual([]);
  });

  it('names a design after its file', () => {
    expect(['a/b.prod.yaml', 'x.tar.gz', '.yaml', 'c'].map(designNameOf)).toEqual(['b.prod', 'x', 'design', 'c']);
  });
});
