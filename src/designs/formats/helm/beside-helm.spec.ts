import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedCluster } from '../../../../test/support/cluster.js';
import { clusterClient } from '../../../../test/support/deployment-scene.js';
import { requires } from '../../../../test/support/requirements.js';
import { AppError, InvalidRequest } from '../../../core/errors/app-error.js';
import { asObject, asText, type Json, type JsonObject } from '../../../core/json/json.js';
import { DocumentReader } from '../../../formats/documents/document-reader.js';
import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import { resourceIdentity, toResource } from '../../../formats/design-file/design-component.js';
import { LocalRenderEngines } from '../../../formats/engines/local-render-engines.js';
import type { ChartCluster } from '../../../formats/helm/chart-api.js';
import { WorkerPool } from '../../../core/workers/worker-pool.js';
import type { SourceFile } from '../../../formats/sources/source-file.js';
import { type Attempt, refusal, same } from '../corpus.fixture.js';
import { importDesign } from '../import-design.js';
import { importCharts } from './corpus.fixture.js';

const run = promisify(execFile);

/** Charts that ask much of a cluster; `CHARTS=all` compares every chart of the corpus. */
const CHARTS = /^(?:traefik|ingress-nginx|kube-state-metrics|podinfo|alertmanager|dapr)/;

requires('CORPUS_DIR', 'charts of the corpus', (corpus) => {
  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    requires('HELM_BIN', 'beside Helm itself', (helm) => {
      const pool = new WorkerPool();
      const reader = new DocumentReader(pool);
      const programs = new LocalRenderEngines({ helm });
      afterAll(() => pool.close());

      it('render to the objects that helm install makes', async () => {
        const { kubeconfig, kubeconfigFile } = await sharedCluster();
        const client = clusterClient(kubeconfig);
        const { gitVersion: version } = await client.version();
        const cluster: ChartCluster = { version, kinds: await client.listKinds(), values: new Map() };
        const engines = programs.forCluster(cluster) as LocalRenderEngines;
        const folder = mkdtempSync(join(tmpdir(), 'armature-beside-'));
        /** What Helm would install, or undefined where it refuses. */
        const installed = async (chart: SourceFile): Promise<JsonObject[] | undefined> => {
          const file = join(folder, 'chart.tgz');
          writeFileSync(file, chart.bytes);
          const args = ['install', 'shop', file, '-n', 'default', '--dry-run=server', '-o', 'json'];
          const { stdout } = await run(helm, [...args, '--kubeconfig', kubeconfigFile], { maxBuffer: 1 << 27 }).catch(() => ({ stdout: '' })); // prettier-ignore
          if (stdout === '') return undefined;
          const release = JSON.parse(stdout.slice(stdout.indexOf('{'))) as JsonObject;
          const hooks = (Array.isArray(release['hooks']) ? release['hooks'] : []).map((hook: Json) => asText(asObject(hook)['manifest'])); // prettier-ignore
          const text = [asText(release['manifest']), ...hooks].join('\n---\n');
          return parseDocuments({ path: 'manifest', bytes: Buffer.from(text) }).flatMap(({ object }) =>
            object ? [object] : [],
          );
        };
        const [different, compared]: [string[], string[]] = [[], []];
        const attempt: Attempt = async (chart, options = {}) => {
          if (process.env['CHARTS'] !== 'all' && !CHARTS.test(chart.path)) return new InvalidRequest('is left out');
          const destination = { isUpgrade: false, revision: 1 };
          const settings = {
            ...options,
            programs: engines,
            destination,
            release: { name: 'shop', namespace: 'default' },
          };
          const ours = await importDesign(chart, reader, settings).catch(refusal);
          const [theirs, again] = [await installed(chart), await installed(chart)];
          if (ours instanceof AppError) {
            if (theirs) different.push(`${chart.path}: ${ours.message}`);
            return ours;
          }
          if (!theirs || !again) return ours;
          compared.push(chart.path);
          const all = ours.design.components.map((component) => toResource(component));
          for (const object of theirs) {
            const identity = resourceIdentity(object);
            // What Helm itself renders to something else the next time cannot be compared.
            if (!again.some((one) => same(one, object))) continue;
            const { namespace, ...metadata } = asObject(object['metadata']);
            const placed = namespace === 'default' ? { ...object, metadata } : object;
            if (!all.some((one) => same(one, placed))) different.push(`${chart.path}: ${identity}`);
          }
          return ours;
        };
        for await (const _ of importCharts(corpus, attempt));
        await rm(folder, { recursive: true });
        await client.close();
        expect(different).toEqual([]);
        expect(compared.length).toBeGreaterThan(5);
      }, 600_000);
    });
  });
});
