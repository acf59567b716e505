import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlPlane, startControlPlane } from './control-plane.js';
import { askTestRun, killProcesses, testRunFolder } from './test-run.js';

/** A Kubernetes control plane for tests. */
export interface Cluster extends ControlPlane {
  /** Ends it. A shared cluster goes on until the end of the test run, for other files use it. */
  stop: () => Promise<void>;
}

export interface ClusterOptions {
  /** etcd and the API server only: nothing reconciles, pods stay Pending. Default false. */
  bare?: boolean;
}

/**
 * Starts a control plane of the caller's own, which it may break and has to stop; takes some 4 s.
 *
 * @throws when KUBEBUILDER_ASSETS is not set, or with the log of a program that does not start
 */
export async function startCluster({ bare = false }: ClusterOptions = {}): Promise<Cluster> {
  const controlPlane = await startControlPlane(mkdtempSync(join(testRunFolder(), 'cluster-')), bare);
  return { ...controlPlane, stop: () => killProcesses(Object.values(controlPlane.pids)) };
}

/**
 * The control plane that all files of this test run share, started for the first who asks. Work in a namespace of your own there.
 *
 * @throws as startCluster, to everybody who asks
 */
export async function sharedCluster({ bare = false }: ClusterOptions = {}): Promise<Cluster> {
  const controlPlane = await askTestRun<ControlPlane>(bare ? 'bare cluster' : 'cluster');
  return { ...controlPlane, stop: () => Promise.resolve() };
}
