// Plays the main job against a running server and a real cluster, and prints each call and each event as it comes.
// Exit code 1 when anything does not go as it should; what was made is cleaned up in any case.
/* global AbortController */
import { Blob } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import readline from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { FormData } from 'undici';
import { ApiClient, CallFailed } from './api-client.mjs';
import { followEvents } from './event-follower.mjs';
import { onlyCurrentContext } from './kubeconfig.mjs';

const USAGE = `npm run demo -- [options] [FILE...]

Deploys each FILE (a Kubernetes manifest, a Compose file, a design …) to a cluster through a running server, deploys
it again to show that nothing changes, and undeploys it. Without a FILE: two small applications of scripts/demo.

  --kubeconfig FILE   the cluster; KUBECONFIG when it is left out
  --namespace NAME    for objects that name none; the context's, else default
  --step              waits for Enter before each part, to look at the cluster

  ARMATURE_URL, BASE_URL          the server (http://127.0.0.1:9081)
  TOKEN                           an access token, or
  ADMIN_EMAIL, ADMIN_PASSWORD     whom to sign in as (admin@armature.local)

A file .env is read as the server reads it.`;

const OWN = ['greeter.yaml', 'notes.compose.yaml'].map((name) => path.join(import.meta.dirname, name));

/** A message that shows the operator what to do, without a stack trace. */
class Refused extends Error {}

async function settings() {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kubeconfig: { type: 'string' },
      namespace: { type: 'string' },
      step: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { env } = process;
  const kubeconfig = values.kubeconfig ?? env.KUBECONFIG?.split(path.delimiter).find(Boolean);
  if (values.help) return { help: true };
  if (!kubeconfig) throw new Refused('Which cluster? Give --kubeconfig FILE, or set KUBECONFIG.');
  if (!env.TOKEN && !env.ADMIN_PASSWORD)
    throw new Refused('Who is it? Set TOKEN, or ADMIN_EMAIL and ADMIN_PASSWORD (the first start printed them).');
  return {
    ...values,
    baseUrl: (env.ARMATURE_URL || env.BASE_URL || 'http://127.0.0.1:9081').replace(/\/+$/, ''),
    kubeconfig: await onlyCurrentContext(kubeconfig),
    files: await Promise.all((positionals.length > 0 ? positionals : OWN).map(read)),
  };
}

const read = async (file) => ({ name: path.basename(file), content: await readFile(file) });

/** Counts resources by a field: `create 5, unchanged 2`. */
function tally(resources, field) {
  const counts = new Map();
  for (const each of resources) counts.set(each[field], (counts.get(each[field]) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${word} ${count}`).join(', ') || 'nothing';
}

function expect(holds, what) {
  if (!holds) throw new CallFailed(what);
}

class Demo {
  totals = { files: 0, created: 0, unchanged: 0, deleted: 0 };
  /** What is to be taken away at the end, the last first. */
  #undo = [];

  constructor(api, options) {
    this.api = api;
    this.options = options;
  }

  async part(title) {
    this.api.signal.throwIfAborted();
    process.stdout.write(`\n== ${title}\n`);
    if (!this.options.step) return;
    const terminal = readline.createInterface({ input: process.stdin });
    process.stdout.write('   Enter goes on.\n');
    await new Promise((resolve) => terminal.once('line', resolve).once('close', resolve));
    terminal.close();
  }

  async run() {
    const { api, options } = this;
    await this.part('Sign in');
    await api.signIn(process.env);
    const profile = await api.get('/api/identity/users/profile', (me) => `${me.email}`);
    const organization = profile.default_organization_id ?? profile.organizations[0]?.id;
    expect(organization, 'this account belongs to no organization');

    await this.part('Register the cluster');
    const connection = await this.register(organization);

    await this.part('An environment with the cluster in it, and a workspace that may use it');
    const marker = new Date().toISOString().slice(0, 19);
    const environment = await api.post(
      '/api/environments',
      { name: `demo ${marker}`, organization_id: organization },
      (made) => `environment ${made.id}, ${made.tier}`,
    );
    this.undoing(() => api.delete(`/api/environments/${environment.id}`, () => 'environment deleted'));
    const mapped = `/api/environments/${environment.id}/connections/${connection}`;
    await api.post(mapped, undefined, () => 'the connection is in the environment');
    const workspace = await api.post(
      '/api/workspaces',
      { name: `demo ${marker}`, organization_id: organization },
      (made) => `workspace ${made.id}`,
    );
    this.undoing(() => api.delete(`/api/workspaces/${workspace.id}`, () => 'workspace deleted'));
    const assigned = `/api/workspaces/${workspace.id}/environments/${environment.id}`;
    await api.post(assigned, undefined, () => 'the environment is assigned to the workspace');

    const events = await followEvents(api, workspace.id);
    this.undoing(() => events.close());
    const designs = [];
    for (const file of options.files) {
      await this.part(`Import and plan ${file.name}`);
      designs.push(await this.importAndPlan(file, workspace.id));
    }
    for (const design of designs) {
      await this.part(`Deploy ${design.name}`);
      await this.deploy(design);
      await events.mustHave('deployment.success', design.deployments.at(-1));
    }
    for (const design of designs) {
      await this.part(`Deploy ${design.name} again: nothing changes`);
      await this.deployAgain(design);
    }
    for (const design of designs.toReversed()) {
      await this.part(`Undeploy ${design.name}`);
      await this.undeploy(design);
      await events.mustHave('deployment.undeployed', design.deployments.at(-1));
    }
    this.totals.files = designs.length;
    this.totals.events = events.count;
  }

  /** Registers the context; a connection that was there before is used, and stays. */
  async register(organization) {
    const { api, options } = this;
    const list = `/api/integrations/connections?orgID=${organization}&filter=${encodeURIComponent('{"kind":"kubernetes"}')}&pagesize=500`;
    const before = await api.get(list, (page) => `${page.total_count} clusters are known`);
    const form = new FormData();
    form.set('k8sfile', new Blob([options.kubeconfig]), 'kubeconfig');
    const answer = await api.post(
      `/api/system/kubernetes?orgID=${organization}`,
      form,
      ({ connected, registered, failed }) =>
        `connected ${connected.length}, registered ${registered.length}, failed ${failed.length}`,
    );
    const [taken] = [...answer.connected, ...answer.registered, ...answer.failed];
    const known = before.connections.some(({ id }) => id === taken?.connection_id);
    if (taken?.connection_id && !known) this.undoing(() => this.forget(taken.connection_id));
    expect(answer.connected.length === 1, `the cluster is not connected: ${JSON.stringify(taken?.error ?? answer)}`);
    return taken.connection_id;
  }

  async forget(connection) {
    const { api } = this;
    const { credential_id } = await api.delete(
      `/api/integrations/connections/${connection}`,
      () => 'connection deleted',
    );
    if (credential_id) await api.delete(`/api/integrations/credentials/${credential_id}`, () => 'credential deleted');
  }

  async importAndPlan(file, workspace) {
    const { api } = this;
    const form = new FormData();
    form.set('workspace_id', workspace);
    form.set('file', new Blob([file.content]), file.name);
    const { id, name } = await api.post(
      '/api/pattern/import',
      form,
      (made) => `design ${made.id}, "${made.name}", read as ${made.type?.String}`,
    );
    this.undoing(() => api.delete(`/api/pattern/${id}?undeploy=true`, () => 'design deleted'));
    const plan = await api.post(
      '/api/pattern/deploy/plan',
      { id, namespace: this.options.namespace },
      ({ resources, deployable }) => `${tally(resources, 'action')}${deployable ? '' : ', NOT deployable'}`,
    );
    for (const { kind, name: object, error } of plan.resources)
      if (error) process.stdout.write(`   ${kind}/${object}: ${error.reason} ${error.detail}\n`);
    expect(plan.deployable, 'the plan says that it cannot be deployed');
    return { id, name, planId: plan.plan_id, deployments: [] };
  }

  async deploy(design) {
    const { id, planId: plan_id } = design;
    const { namespace } = this.options;
    const describe = ({ status, resources }) => `${status}: ${tally(resources, 'action')}`;
    const done = await this.api.post('/api/pattern/deploy', { id, plan_id, namespace, wait: true }, describe);
    design.deployments.push(done.id);
    expect(done.status === 'succeeded', `the deployment is ${done.status}`);
    this.totals.created += done.resources.filter(({ action }) => action === 'create').length;
  }

  async deployAgain(design) {
    const { namespace } = this.options;
    const describe = ({ status, resources }) => `${status}: ${tally(resources, 'status')}`;
    const done = await this.api.post('/api/pattern/deploy', { id: design.id, namespace, wait: true }, describe);
    design.deployments.push(done.id);
    const changed = done.resources.filter(({ status }) => status !== 'unchanged');
    expect(
      done.status === 'succeeded' && changed.length === 0,
      `not unchanged: ${changed.map(({ kind, name, status }) => `${kind}/${name} ${status}`).join(', ')}`,
    );
    this.totals.unchanged += done.resources.length;
  }

  async undeploy(design) {
    const describe = ({ status, resources }) => `${status}: ${tally(resources, 'status')}`;
    const done = await this.api.delete('/api/pattern/deploy', describe, { id: design.id });
    design.deployments.push(done.id);
    const left = done.resources.filter(({ status }) => status !== 'deleted');
    expect(
      done.status === 'undeployed' && left.length === 0,
      `left behind: ${left.map(({ kind, name, status }) => `${kind}/${name} ${status}`).join(', ')}`,
    );
    this.totals.deleted += done.resources.length;
  }

  undoing(work) {
    this.#undo.push(work);
  }

  /** @returns whether all that was made is gone */
  async cleanUp() {
    if (this.#undo.length > 0) process.stdout.write('\n== Clean up\n');
    this.api.signal = undefined;
    let clean = true;
    for (const work of this.#undo.reverse())
      await Promise.resolve(work()).catch((error) => {
        clean = false;
        if (!(error instanceof CallFailed)) process.stdout.write(`FAILED ${error.message}\n`);
      });
    return clean;
  }
}

async function main() {
  const options = await settings();
  if (options.help) return process.stdout.write(`${USAGE}\n`);
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort(new CallFailed('interrupted')));
  const started = Date.now();
  const api = new ApiClient(options.baseUrl, interruption.signal);
  const demo = new Demo(api, options);
  let failure = null;
  await demo.run().catch((error) => (failure = error));
  if (failure) process.stdout.write(`FAILED ${failure instanceof CallFailed ? failure.message : failure.stack}\n`);
  const clean = await demo.cleanUp();
  const { files, created, unchanged, deleted, events = 0 } = demo.totals;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `\n${failure || !clean ? 'FAILED' : 'Done'}: ${files} applications, ${created} objects created, ${unchanged} unchanged ` +
      `the second time, ${deleted} deleted; ${events} events, ${api.calls} calls, ${seconds} s\n`,
  );
  if (failure || !clean) process.exitCode = 1;
}

main().catch((error) => {
  const expected = error instanceof Refused || error.code?.startsWith('ERR_PARSE_ARGS') || error.code === 'ENOENT';
  process.stderr.write(`${expected ? `${error.message}\n\n${USAGE}` : error.stack}\n`);
  process.exitCode = 1;
});
