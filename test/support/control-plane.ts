import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers, call, type Tokens, writeCredentials, writeKubeconfig } from './control-plane-access.js';
import { apiServerFlags, controllerManagerFlags, etcdFlags, schedulerFlags } from './control-plane-flags.js';
import { freePort } from './free-port.js';
import { endWithTestRun, isAlive, killProcesses } from './test-run.js';

type Program = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

/** What a test knows of a control plane, which listens on ports of 127.0.0.1 and runs no containers. */
export interface ControlPlane {
  /** Of the API server: `https://127.0.0.1:<port>`. */
  url: string;
  /** PEM of the authority behind its certificate. */
  ca: string;
  tokens: Tokens;
  /** Kubeconfig of the administrator (text) and the file that holds it. */
  kubeconfig: string;
  kubeconfigFile: string;
  /** The same of nobody. */
  kubeconfigNobody: string;
  kubeconfigNobodyFile: string;
  /** Process ids, for tests that stop or kill a program. */
  pids: Partial<Record<Program, number>>;
  /** Whether pods are scheduled and become ready (kwok.yaml says how). */
  runsPods: boolean;
}

const START_TIMEOUT_MS = 60_000;
const KWOK_CONFIG = join(import.meta.dirname, 'kwok.yaml');

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-0', labels: { 'kubernetes.io/hostname': 'node-0', 'kubernetes.io/os': 'linux' } },
  status: {
    capacity: { cpu: '64', memory: '512Gi', pods: '5000' },
    allocatable: { cpu: '64', memory: '512Gi', pods: '5000' },
  },
};

/**
 * Starts the programs of KUBEBUILDER_ASSETS; controller manager, scheduler and kwok where they are there and `bare` is false.
 *
 * @param folder empty; holds keys, data and logs
 * @throws with the end of the log of the program that failed
 */
export async function startControlPlane(folder: string, bare: boolean): Promise<ControlPlane> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (!assets) throw new Error('KUBEBUILDER_ASSETS is not set: it names the folder of etcd and kube-apiserver.');
  const has = (program: Program): boolean => !bare && existsSync(join(assets, program));
  const pids: ControlPlane['pids'] = {};
  const start = (program: Program, flags: string[]): void => {
    pids[program] = startProgram(join(assets, program), flags, join(folder, `${program}.log`));
  };
  try {
    const tokens = writeCredentials(folder);
    const [clientPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const etcd = `http://127.0.0.1:${clientPort}`;
    start('etcd', etcdFlags(folder, etcd, `http://127.0.0.1:${peerPort}`));
    start('kube-apiserver', apiServerFlags(folder, etcd, port, has('kube-controller-manager')));
    const certificate = join(folder, 'certs', 'apiserver.crt');
    await until(() => existsSync(certificate), folder, pids);
    const ca = readFileSync(certificate, 'utf8');
    const api = { url: `https://127.0.0.1:${port}`, ca, token: tokens.admin };
    await until(() => answers(api, '/readyz'), folder, pids);
    await until(() => answers(api, '/api/v1/namespaces/default'), folder, pids);

    const [kubeconfig, kubeconfigFile] = writeKubeconfig(folder, 'admin', api);
    const [kubeconfigNobody, kubeconfigNobodyFile] = writeKubeconfig(folder, 'nobody', {
      ...api,
      token: tokens.nobody,
    });
    if (has('kube-controller-manager')) {
      start('kube-controller-manager', controllerManagerFlags(folder, kubeconfigFile));
      await until(() => answers(api, '/api/v1/namespaces/default/serviceaccounts/default'), folder, pids);
    }
    if (has('kube-scheduler')) start('kube-scheduler', schedulerFlags(kubeconfigFile));
    if (has('kwok')) {
      // Without leases the controller manager takes the node for dead after some 50 s.
      const lease = ['--node-lease-duration-seconds', '40'];
      start('kwok', ['--kubeconfig', kubeconfigFile, '--manage-all-nodes', ...lease, '--config', KWOK_CONFIG]);
      await call(api, 'POST', '/api/v1/nodes', NODE);
    }
    const runsPods = has('kube-scheduler') && has('kwok');
    return {
      url: api.url,
      ca,
      tokens,
      kubeconfig,
      kubeconfigFile,
      kubeconfigNobody,
      kubeconfigNobodyFile,
      pids,
      runsPods,
    };
  } catch (error) {
    await killProcesses(Object.values(pids));
    throw error;
  }
}

function startProgram(program: string, flags: string[], logFile: string): number {
  const log = openSync(logFile, 'w');
  const child = spawn(program, flags, { stdio: ['ignore', log, log] });
  closeSync(log);
  child.on('error', (error) => writeFileSync(logFile, error.message));
  child.unref();
  if (child.pid === undefined) throw new Error(`${program} cannot be run.`);
  endWithTestRun(child.pid);
  return child.pid;
}

/** Waits for what the programs bring about, as long as all of them live. */
async function until(
  isSo: () => boolean | Promise<boolean>,
  folder: string,
  pids: ControlPlane['pids'],
): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; !(await isSo()); await sleep(25)) {
    const dead = Object.entries(pids).find(([, pid]) => !isAlive(pid));
    const [culprit] = dead ?? (Date.now() > deadline ? ['kube-apiserver'] : []);
    if (culprit)
      throw new Error(
        `${culprit} did not start:\n${readFileSync(join(folder, `${culprit}.log`), 'utf8').slice(-2000)}`,
      );
  }
}
