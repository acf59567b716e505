import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startControlPlane } from '../../test/support/control-plane.js';
import { startDatabase } from '../support/database.js';
import { load, table } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';

// Deploys manifests of the corpus to a real control plane and counts what is taken for drift though nobody changed it; then changes
// an object again and again, and measures how long it takes until the event tells it. Needs KUBEBUILDER_ASSETS and CORPUS_DIR.
const RESOURCES = Number(process.argv[2] ?? 1_000);
const CHANGES = Number(process.argv[3] ?? 100);
const PATIENCE_MS = 120_000;
const SETTLED_MS = 10_000;

type Json = Record<string, unknown>;
interface Drift {
  status: string;
  resources: { kind: string; name: string; status: string; changes: { pointer: string }[] }[];
}

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'armature-drift-'));
const database = await startDatabase();
const cluster = await startControlPlane(folder, false);
const server = await startServer(
  import.meta.resolve('../support/product.js'),
  production(database.url, { CLUSTER_WATCH: 'on', OUTBOUND_ALLOW: '127.0.0.0/8,::1/128' }),
);
try {
  const token = await signIn(server.url);
  const call = async <T = Json>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as T };
  };
  const done = async <T = Json>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const kubectl = (...args: string[]) =>
    run(join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'kubectl'), ['--kubeconfig', cluster.kubeconfigFile, ...args]);

  const { organizations } = await done<{ organizations: { id: string }[] }>('GET', '/api/identity/orgs');
  const organization = organizations[0]?.id;
  const registered = await done<{ connected: { connection_id: string }[] }>('POST', '/api/system/kubernetes', {
    kubeconfig: cluster.kubeconfig,
  });
  const environment = await done('POST', '/api/environments', { name: 'drift', organization_id: organization });
  await done(
    'POST',
    `/api/environments/${String(environment['id'])}/connections/${registered.connected[0]?.connection_id}`,
  );
  const workspace = await done('POST', '/api/workspaces', { name: 'drift', organization_id: organization });
  await done('POST', `/api/workspaces/${String(workspace['id'])}/environments/${String(environment['id'])}`);

  const deploy = async (text: string, name: string, namespace: string): Promise<string | null> => {
    const file = Buffer.from(text).toString('base64');
    const design = await call('POST', '/api/pattern/import', { file, file_name: name, workspace_id: workspace['id'] });
    if (design.status >= 300) return null;
    const wanted = { id: design.body['id'], namespace, create_namespace: true, atomic: false };
    const { status } = await call('POST', '/api/pattern/deploy', wanted);
    return status === 200 ? String(design.body['id']) : null;
  };

  const corpus = join(process.env['CORPUS_DIR'] ?? '', 'kubernetes');
  const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ya?ml$/.test(name));
  const places = new Map<string, string>();
  let wanted = 0;
  for (const [index, file] of files.sort().entries()) {
    if (wanted >= RESOURCES) break;
    const id = await deploy(readFileSync(join(corpus, file), 'utf8'), basename(file), `drift-${index}`);
    if (!id) continue;
    places.set(id, file);
    wanted += (await done<Drift>('GET', `/api/pattern/${id}/drift`)).resources.length;
  }
  await sleep(SETTLED_MS);
  let [compared, unknown] = [0, 0];
  const wrong: string[] = [];
  for (const [id, file] of places)
    for (const one of (await done<Drift>('GET', `/api/pattern/${id}/drift`)).resources) {
      compared++;
      if (one.status === 'unknown') unknown++;
      else if (one.status !== 'in_sync')
        wrong.push(`${file}: ${one.kind} ${one.name} ${one.changes.map(({ pointer }) => pointer).join(' ')}`);
    }

  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n';
  const design = await deploy(text, 'settings.yaml', 'drift-latency');
  const events = async (action: string): Promise<number> =>
    (await done<{ total_count: number }>('GET', `/api/events?category=deployment&action=${action}&pagesize=1`))
      .total_count;
  const latencies: number[] = [];
  for (let index = 0; index < CHANGES; index++) {
    const before = await events('drifted');
    await kubectl(
      'patch',
      'cm',
      'settings',
      '-n',
      'drift-latency',
      '--type=merge',
      '-p',
      `{"data":{"colour":"${index}"}}`,
    );
    const since = performance.now();
    await until(async () => (await events('drifted')) > before);
    latencies.push(performance.now() - since);
    const healed = await events('healed');
    await done('POST', '/api/pattern/deploy', { id: design, force: true });
    await until(async () => (await events('healed')) > healed);
  }
  latencies.sort((one, other) => one - other);
  const seconds = (part: number): string =>
    ((latencies[Math.floor(latencies.length * part)] ?? NaN) / 1_000).toFixed(2);
  console.log(`\nDrift on a real control plane; load average ${load()}\n`);
  console.log(
    table(
      ['figure', 'value'],
      [
        ['designs of the corpus that were deployed', String(places.size)],
        ['resources compared', String(compared)],
        ['taken for drift', String(wrong.length)],
        ['not comparable', String(unknown)],
        [`from a change to its event, s (median of ${CHANGES})`, seconds(0.5)],
        ['p95', seconds(0.95)],
        ['slowest', seconds(1 - 1 / CHANGES)],
      ],
    ),
  );
  for (const line of wrong) console.log(line);
} finally {
  await server.stop();
  for (const pid of Object.values(cluster.pids)) process.kill(pid, 'SIGKILL');
  await database.stop();
  await sleep(500);
  rmSync(folder, { recursive: true, force: true });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('waited in vain');
    await sleep(25);
  }
}
