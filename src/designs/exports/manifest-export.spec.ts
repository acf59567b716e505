import { DocumentReader } from '../../formats/documents/document-reader.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { archiveOf } from '../formats/archive.fixture.js';
import { importDesign } from '../formats/import-design.js';
import { ManifestExporter } from './manifest-exporter.js';

const pool = new WorkerPool();
const reader = new DocumentReader(pool);
const manifests = new ManifestExporter(reader);
afterAll(() => pool.close());

const TEXT = '# The shop.\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: a} # short\n---\n# and\nkind: Pod\napiVersion: v1\nmetadata:\n  name: b\n'; // prettier-ignore

async function kept(source: SourceFile, change = false): Promise<string> {
  const { design } = await importDesign(source, reader);
  if (change && design.components[0]) design.components[0].configuration['data'] = { a: 'b' };
  return manifests.fromSource(() => design, source);
}

describe('a design as a manifest', () => {
  it('is the file that it was made of, without converting anything', async () => {
    const source = { path: 'a.yaml', bytes: Buffer.from(TEXT) };
    const readDesign = () => {
      throw new Error('the design was read');
    };
    expect(await manifests.fromSource(readDesign, source)).toBe(TEXT);
  });

  it('is the files of its archive as one text, as long as that says the same', async () => {
    const source = await archiveOf({ 'a.yaml': TEXT });
    expect(await kept(source)).toBe(`# a.yaml\n${TEXT}`);
    const changed = await kept(source, true);
    expect(changed).not.toContain('#');
    expect(changed).toContain('data:\n  a: b\n---\n');
  });

  it('is YAML when it was JSON, and one text when it was an archive', async () => {
    const json = '{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "c"}}';
    expect(await kept({ path: 'a.json', bytes: Buffer.from(json) })).toBe('kind: Pod\napiVersion: v1\nmetadata:\n  name: c\n'); // prettier-ignore
    const files = { 'k/z.yaml': TEXT, 'k/README.md': '#', 'k/values.yaml': 'a: 1', 'k/c.json': json };
    expect(await kept(await archiveOf(files))).toBe(`# k/z.yaml\n${TEXT}---\n# k/c.json\nkind: Pod\napiVersion: v1\nmetadata:\n  name: c\n`); // prettier-ignore
  });

  it('is refused when there is nothing in it for Kubernetes', async () => {
    const text = '{"schemaVersion": "designs.meshery.io/v1beta1", "name": "d", "components": []}';
    const { design } = await importDesign({ path: 'd.json', bytes: Buffer.from(text) }, reader);
    await expect(manifests.fromDesign(design)).rejects.toMatchObject({ status: 400 });
  });
});
