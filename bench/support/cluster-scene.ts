import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '../../test/support/control-plane.js';
import { clusterClient } from '../../test/support/deployment-scene.js';
import type { ClusterClient } from '../../src/kubernetes/clusters/cluster-client.js';
import { killProcesses } from '../../test/support/test-run.js';
import { type BenchDatabase, startDatabase } from './database.js';
import { production, signIn, startServer, type BenchServer } from './server.js';

export type Json = Record<string, unknown>;

/** The product in production settings, with a workspace that deploys to a control plane of its own. Needs KUBEBUILDER_ASSETS. */
export interface ClusterScene {
  server: BenchServer;
  database: BenchDatabase;
  controlPlane: ControlPlane;
  /** Another user who works on the same cluster, as its administrator. */
  client: ClusterClient;
  workspace: string;
  environment: string;
  call: <T = Json>(method: string, path: string, body?: unknown) => Promise<{ status: number; body: T }>;
  /** The same. @throws Error when it is not answered with success */
  done: <T = Json>(method: string, path: string, body?: unknown) => Promise<T>;
  /** Ends the server, and starts it again on the same database. */
  restart: () => Promise<void>;
}

/** Runs the work on a scene that is taken down after it, whatever happens. */
export async function withClusterScene(
  settings: Record<string, string>,
  work: (scene: ClusterScene) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'armature-cluster-'));
  const ends: (() => Promise<unknown> | void)[] = [];
  try {
    const database = await startDatabase();
    ends.push(() => database.stop());
    const controlPlane = await startControlPlane(folder, false);
    ends.push(() => killProcesses(Object.values(controlPlane.pids)));
    const outbound = { OUTBOUND_ALLOW: '127.0.0.0/8,::1/128' };
    const start = () =>
      startServer(import.meta.resolve('./product.js'), production(database.url, { ...outbound, ...settings }));
    const client = clusterClient(controlPlane.kubeconfig);
    ends.push(() => client.close());
    const running = { server: await start() };
    ends.push(() => running.server.stop());
    await work(await openScene(running, start, { database, controlPlane, client }));
  } finally {
    for (const end of ends.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openScene(
  running: Pick<ClusterScene, 'server'>,
  start: () => Promise<BenchServer>,
  beside: Pick<ClusterScene, 'database' | 'controlPlane' | 'client'>,
): Promise<ClusterScene> {
  const token = await signIn(running.server.url);
  const call: ClusterScene['call'] = async <T>(method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${running.server.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as T };
  };
  const done: ClusterScene['done'] = async <T>(method: string, path: string, body?: unknown) => {
    const answer = await call<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { organizations } = await done<{ organizations: { id: string }[] }>('GET', '/api/identity/orgs');
  const fields = { name: 'bench', organization_id: organizations[0]?.id };
  const { connected } = await done<{ connected: { connection_id: string }[] }>('POST', '/api/system/kubernetes', {
    kubeconfig: beside.controlPlane.kubeconfig,
  });
  const { id: environment } = await done<{ id: string }>('POST', '/api/environments', fields);
  await done('POST', `/api/environments/${environment}/connections/${connected[0]?.connection_id}`);
  const { id: workspace } = await done<{ id: string }>('POST', '/api/workspaces', fields);
  await done('POST', `/api/workspaces/${workspace}/environments/${environment}`);
  const restart = async () => {
    await running.server.stop();
    running.server = await start();
  };
  return Object.assign(running, { ...beside, workspace, environment, call, done, restart });
}

/** Imports a manifest into the workspace. */
export async function importManifest({ done, workspace }: ClusterScene, name: string, text: string): Promise<string> {
  const file = Buffer.from(text).toString('base64');
  const design = await done('POST', '/api/pattern/import', { file, file_name: name, workspace_id: workspace });
  return String(design['id']);
}

/** @throws Error when it does not hold in time */
export async function waitFor(
  what: string,
  holds: () => Promise<boolean>,
  { withinMs, everyMs = 50 }: { withinMs: number; everyMs?: number },
): Promise<void> {
  for (const end = Date.now() + withinMs; !(await holds()); await sleep(everyMs))
    if (Date.now() > end) throw new Error(`waited for ${what} in vain`);
}

/** The part of the times that were not longer, in seconds. */
export function quantile(times: readonly number[], part: number): string {
  const sorted = times.toSorted((one, other) => one - other);
  return ((sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? NaN) / 1_000).toFixed(2);
}
