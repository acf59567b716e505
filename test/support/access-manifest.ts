import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from './cluster.js';
import type { Person } from './person.js';
import { testRunFolder } from './test-run.js';

const run = promisify(execFile);

/**
 * Takes the manifest of a connection and does what its comments say, as an administrator of the cluster; answers the kubeconfig. The
 * namespace of the service accounts stays on a shared cluster: other test files use it at the same time.
 */
export async function followManifest(
  person: Person,
  cluster: Cluster,
  connection: string,
  query: string,
): Promise<string> {
  const { status, headers, body } = await person.get(`/api/integrations/connections/${connection}/manifest?${query}`);
  if (status !== 200) throw new Error(`the manifest was answered ${status}`);
  const folder = await mkdtemp(join(testRunFolder(), 'manifest-'));
  const name = /filename="(.*)\.yaml"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? '';
  await writeFile(join(folder, `${name}.yaml`), body as string);
  const commands = (body as string).match(/^# {5}.*$/gm)?.map((line) => line.slice(6)) ?? [];
  const path = `${process.env['KUBEBUILDER_ASSETS']}:${process.env['PATH']}`;
  await run('bash', ['-euc', commands.join('\n')], {
    cwd: folder,
    env: { KUBECONFIG: cluster.kubeconfigFile, PATH: path },
  });
  return readFile(join(folder, `${name}.kubeconfig`), 'utf8');
}
