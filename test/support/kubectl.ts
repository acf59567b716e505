import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from './cluster.js';

const run = promisify(execFile);

/** Asks the cluster as an administrator would, with the kubectl that comes with it; answers what it prints. */
export async function kubectl(cluster: Cluster, ...args: string[]): Promise<string> {
  const program = path.join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'kubectl');
  const { stdout } = await run(program, ['--kubeconfig', cluster.kubeconfigFile, ...args]);
  return stdout.trim();
}
