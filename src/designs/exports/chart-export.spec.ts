import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countOf, partOf } from '../../../test/support/long-run.js';
import { requires } from '../../../test/support/requirements.js';
import { resourceIdentity } from '../../formats/design-file/design-component.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import type { JsonObject } from '../../core/json/json.js';
import { LocalRenderEngines } from '../../formats/engines/local-render-engines.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { archiveOf, filesIn, membersOf } from '../formats/archive.fixture.js';
import { withoutDefaultNamespace } from '../formats/helm/corpus.fixture.js';
import { importDesign } from '../formats/import-design.js';
import { type ImportedDesign } from '../formats/format.js';
import { toManifest } from '../formats/kubernetes-format.js';
import { withValues } from '../formats/helm/values-task.js';
import { ChartExporter } from './chart-exporter.js';

const pool = new WorkerPool();
const reader = new DocumentReader(pool);
const charts = new ChartExporter(reader, pool);
afterAll(() => pool.close());

/** The resources of a design whatever their order. */
const resources = ({ design }: ImportedDesign): JsonObject[] =>
  toManifest(design).resources.sort((a, b) => (resourceIdentity(a) < resourceIdentity(b) ? -1 : 1));

requires('HELM_BIN', 'a design as a chart', (helm) => {
  const programs = new LocalRenderEngines({ helm });

  it('renders to the same resources, with braces that are not for Helm and definitions', async () => {
    const manifest = [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  rule: "{{ $labels.pod }} {{{ \\"x\\" }}}"\n  template: |\n    {{- range .Items }}\n    {{ . }}\n    {{- end }}\n  odd: "}} {{"\n',
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: t.example.org}\nspec: {description: "{{ kept }}"}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: other}\ndata: {a: "yes", b: "1", c: "0644"}\n',
    ].join('---\n');
    const file = { path: 'Größter Shop.yaml', bytes: Buffer.from(manifest) };
    const original = await importDesign(file, reader, { programs });
    const bytes = await charts.fromDesign(original.design);
    const again = await importDesign({ path: 'chart.tgz', bytes }, reader, { programs });
    expect(again.sourceType).toBe('helm');
    expect(resources(again)).toEqual(resources(original));
  });

  it('is the imported chart byte for byte, or with the values that were given for its own', async () => {
    const files = {
      'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
      'shop/values.yaml':
        '# How many.\nreplicas: 1 # one\nimage:\n  # Of the registry.\n  name: nginx\n  tag: "1.27"\n',
      'shop/templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {all: {{ .Values | toJson | quote }}}\n', // prettier-ignore
    };
    const source = await archiveOf(files, 'shop-1.2.3.tgz');
    const plain = await importDesign(source, reader, { programs });
    expect(Buffer.compare(await charts.fromSource(plain.design, source), Buffer.from(source.bytes))).toBe(0);
    const values = { replicas: 3, image: { tag: '1.28' }, extra: ['yes'] };
    const set = await importDesign(source, reader, { programs, values });
    const bytes = await charts.fromSource(set.design, source);
    const again = await importDesign({ path: 'again.tgz', bytes }, reader, { programs });
    expect(resources(again)).toEqual(resources(set));
    expect(Buffer.compare(await charts.fromSource(set.design, source), bytes)).toBe(0);
  });
});

requires('CORPUS_DIR', 'designs of the corpus as charts', (corpus) => {
  requires('HELM_BIN', 'with Helm', (helm) => {
    it('render to what they were', async () => {
      const programs = new LocalRenderEngines({ helm });
      const manifests = ['GoogleCloudPlatform__microservices-demo', 'dockersamples__example-voting-app', 'kubernetes-sigs__kueue', 'metallb__metallb']; // prettier-ignore
      const count = { equal: 0, different: 0 };
      const compare = async (original: ImportedDesign, bytes: Buffer): Promise<void> => {
        const options = { programs, name: original.name };
        const again = await importDesign({ path: 'again.tgz', bytes }, reader, options);
        // The namespace that charts are imported for is left out.
        const [made, wanted] = [again, original].map((each) => resources(each).map(withoutDefaultNamespace));
        const same = JSON.stringify(made) === JSON.stringify(wanted);
        count[same ? 'equal' : 'different'] += 1;
        expect(made).toEqual(wanted);
      };
      for (const name of manifests) {
        for (const [path, bytes] of partOf(Object.entries(filesIn(join(corpus, 'kubernetes', name), name)))) {
          const original = await importDesign({ path, bytes }, reader, { programs }).catch(() => undefined);
          if (original?.sourceType === 'kubernetes') await compare(original, await charts.fromDesign(original.design));
        }
      }
      for (const name of partOf(['ingress-nginx-4.15.1', 'traefik-41.3.0', 'fluent-bit-0.58.1'])) {
        const source = { path: `${name}.tgz`, bytes: readFileSync(join(corpus, 'helm/packed', `${name}.tgz`)) };
        const original = await importDesign(source, reader, { programs });
        await compare(original, await charts.fromSource(original.design, source));
        await compare(original, await charts.fromDesign(original.design));
      }
      console.info(`Charts of designs: ${count.equal} render to the same resources, ${count.different} do not`);
      expect(count.different).toBe(0);
      expect(count.equal).toBeGreaterThan(countOf(100));
    }, 180_000);
  });
});

requires('CORPUS_DIR', 'the charts of the corpus', (corpus) => {
  requires('HELM_BIN', 'with Helm', (helm) => {
    const root = join(corpus, 'helm');
    let scratch = '';
    beforeAll(() => (scratch = mkdtempSync(join(tmpdir(), 'armature-package-'))));
    afterAll(() => rmSync(scratch, { recursive: true }));

    /** The paths of a packed chart; undefined for a folder that Helm does not pack. */
    function packedByHelm(name: string): Promise<string[]> | undefined {
      try {
        const out = join(scratch, name);
        execFileSync(helm, ['package', join(root, name), '--destination', out], {
          env: { HOME: scratch },
          stdio: 'pipe',
        });
        return listMembers(readFileSync(join(out, readdirSync(out)[0] ?? '')));
      } catch {
        return undefined;
      }
    }
    const listMembers = async (archive: Buffer): Promise<string[]> => Object.keys(await membersOf(archive)).sort();

    it('are exported with the members that "helm package" gives them', async () => {
      const programs = new LocalRenderEngines({ helm });
      const folders = readdirSync(root).filter((name) => existsSync(join(root, name, 'Chart.yaml')));
      const compared: string[] = [];
      for (const name of partOf(folders)) {
        const wanted = await packedByHelm(name);
        if (!wanted) continue;
        const source = await archiveOf(filesIn(join(root, name), name), `${name}.tgz`);
        const imported = await importDesign(source, reader, { programs }).catch(() => undefined);
        if (!imported) continue;
        const exported = await charts.fromSource(imported.design, source);
        expect({ name, members: await listMembers(exported) }).toEqual({ name, members: wanted });
        compared.push(name);
      }
      console.info(`Exported charts like "helm package": ${compared.length} of ${folders.length} folders`);
      expect(compared.length).toBeGreaterThanOrEqual(countOf(17));
    }, 120_000);
  });
});

describe('values in values.yaml', () => {
  it('are changed in place, with comments and order kept', () => {
    const text =
      '# How many.\nreplicas: 1 # one\nimage:\n  # Of the registry.\n  name: nginx\n  tag: "1.27"\non: "yes"\n';
    const values = { replicas: 3, image: { tag: '1.28', pull: { policy: 'yes' } }, 'a.b': null };
    expect(withValues({ text, values })).toBe(
      '# How many.\nreplicas: 3 # one\nimage:\n  # Of the registry.\n  name: nginx\n  tag: "1.28"\n  pull:\n    policy: "yes"\non: "yes"\na.b: null\n',
    );
    expect(withValues({ text: '', values: { a: 1 } })).toBe('a: 1\n');
    expect(withValues({ text: 'a: 1\n', values: { a: { b: 2 } } })).toBe('a:\n  b: 2\n');
  });
});
