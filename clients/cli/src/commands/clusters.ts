import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Armature } from '@armature/client';
import { Failure, faultLine } from '../failure.js';
import { describe, type Json, kindOf, namesOf } from '../records.js';
import type { Run } from '../run.js';
import type { Named, Session } from '../session.js';
import { does, withExamples } from './command.js';

interface AddFlags {
  kubeContext?: string;
  environment?: string;
}

export function addClusterCommands(program: Command): void {
  const cluster = program.command('cluster').summary('register clusters').description('Kubernetes clusters.');
  withExamples(
    does(
      cluster
        .command('add [kubeconfig]')
        .description(
          'Registers a context of a kubeconfig as a connection. Without a path it is that of kubectl: $KUBECONFIG, else ~/.kube/config.',
        )
        .option('--kube-context <name>', 'the context of the kubeconfig; default: its current one')
        .option(
          '-e, --environment <name>',
          'put the cluster into this environment, and that into the workspace; an environment that there is not is made',
        ),
      add,
    ),
    'armature cluster add -e staging',
    'armature cluster add ./cluster.kubeconfig --kube-context production',
  );
}

async function add(run: Run, { kubeContext, environment }: AddFlags, path?: string): Promise<void> {
  const kubeconfig = await readKubeconfig(run.env, path, kubeContext);
  const session = await run.session();
  const { armature } = session;
  const organization = await session.requireOrganization();
  const { connected, registered, failed } = await armature.registerKubeconfig({
    body: { kubeconfig },
    query: { orgID: organization.id },
  });
  const [fault] = failed;
  if (fault) throw refused(fault);
  const [added = {}] = [...connected, ...registered] as Json[];
  for (const { error } of registered)
    if (error) run.terminal.say(`The cluster does not answer now: ${(error as unknown as Json)['detail']}`);
  const id = String(added['connection_id']);
  if (environment !== undefined) await assign(run, session, armature, organization, id, environment);
  const kind = kindOf('connection');
  const connection = await armature.getConnection({ path: { id } });
  const query = { orgID: organization.id };
  const isOnly =
    run.output.format !== 'name' || (await session.findAll(connection.name, 'listConnections', { query })).length < 2;
  await run.output.show(connection, {
    table: (record) => describe(kind, record),
    name: (record) => namesOf(kind, [record], isOnly),
  });
}

function refused({ context, error }: Json): Failure {
  const { detail = 'it was refused', remedy, errors = [] } = (error ?? {}) as Json;
  return new Failure(
    `context ${context as string} was not registered: ${detail as string}`,
    (remedy as string | undefined) ?? 'Correct the kubeconfig.',
    1,
    (errors as { detail: string }[]).map(faultLine),
  );
}

/** Puts a cluster into an environment, and that into the workspace, as far as they are not there. */
async function assign(
  run: Run,
  session: Session,
  armature: Armature,
  organization: Named,
  connectionID: string,
  text: string,
): Promise<void> {
  const place = await findOrMake(run, session, armature, organization, text);
  const workspace = await session.requireWorkspace();
  await armature.addEnvironmentConnection({ path: { environmentID: place.id, connectionID } });
  await armature.assignWorkspaceEnvironment({ path: { id: workspace.id, envID: place.id } });
  run.terminal.say(`The cluster is in environment ${place.name}, which workspace ${workspace.name} may use.`);
}

async function findOrMake(
  run: Run,
  session: Session,
  armature: Armature,
  organization: Named,
  text: string,
): Promise<Named> {
  const query = { orgID: organization.id };
  const found = await session.findAll(text, 'listEnvironments', { query });
  if (found.length > 0) return session.resolveEnvironment(text);
  const made = await armature.createEnvironment({ body: { name: text, organization_id: organization.id } });
  run.terminal.say(`Environment ${made.name} was made, of tier ${made.tier}.`);
  return made;
}

/** One context of a kubeconfig, with the files that it names inline. Of several files the first that has a value counts, as for kubectl. */
export async function readKubeconfig(
  env: NodeJS.ProcessEnv,
  path: string | undefined,
  wanted: string | undefined,
): Promise<string> {
  const { parse, stringify } = await import('yaml');
  const paths = path === undefined ? defaultPaths(env) : [path];
  const files: Kubeconfig[] = [];
  for (const file of paths) {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (paths.length > 1 && error.code === 'ENOENT') return '';
      throw error;
    });
    files.push(parseKubeconfig(parse, text, dirname(resolve(file))));
  }
  const contexts = files.flatMap((each) => each.contexts);
  const names = [...new Set(contexts.map((each) => each.name))];
  const current = files.map((each) => each.current).find((each) => each);
  const name = wanted ?? current ?? (names.length === 1 ? names[0] : undefined);
  const context = contexts.find((each) => each.name === name);
  if (!context)
    throw new Failure(
      name === undefined
        ? `${paths.join(', ')}: there is no current context`
        : `${paths.join(', ')}: there is no context ${name}`,
      names.length > 0 ? 'Choose one of these with --kube-context.' : 'Name a kubeconfig that has contexts.',
      1,
      names,
    );
  const { cluster, user } = (context.entry['context'] ?? {}) as { cluster?: string; user?: string };
  const first = (entries: Placed[], own: string | undefined): Placed[] =>
    entries.filter((each) => each.name === own).slice(0, 1);
  const clusters = files.flatMap((each) => each.clusters);
  const users = files.flatMap((each) => each.users);
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [context.entry],
    clusters: await inline(first(clusters, cluster), 'cluster', ['certificate-authority']),
    users: await inline(first(users, user), 'user', ['client-certificate', 'client-key']),
  });
}

const defaultPaths = (env: NodeJS.ProcessEnv): string[] =>
  env['KUBECONFIG'] ? env['KUBECONFIG'].split(delimiter).filter(Boolean) : [join(homedir(), '.kube', 'config')];

/** An entry of a kubeconfig, and the folder that its paths are relative to. */
interface Placed {
  name: string;
  entry: Json;
  folder: string;
}

type Kubeconfig = Record<'contexts' | 'clusters' | 'users', Placed[]> & { current: string | undefined };

function parseKubeconfig(parse: (text: string) => unknown, text: string, folder: string): Kubeconfig {
  let config: unknown;
  try {
    config = parse(text) ?? {};
  } catch {
    config = null;
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new Failure('the file is no kubeconfig', 'Name a file as "kubectl config view --raw" prints it.');
  const entries = (field: string): Placed[] => {
    const list = (config as Json)[field] as unknown;
    return Array.isArray(list)
      ? (list as (Json | null)[]).flatMap((entry) => (entry ? { name: String(entry['name']), entry, folder } : []))
      : [];
  };
  const current = (config as Json)['current-context'] as string | undefined;
  return { current, contexts: entries('contexts'), clusters: entries('clusters'), users: entries('users') };
}

/** The server takes no paths of files: what they hold goes inline, as `kubectl config view --flatten` does. */
async function inline(entries: Placed[], member: string, fields: string[]): Promise<Json[]> {
  return Promise.all(
    entries.map(async ({ entry, folder }) => {
      const read = (path: string): Promise<Buffer> => readFile(resolve(folder, path));
      const settings: Json = { ...(entry[member] as Json) };
      for (const field of fields) {
        const path = settings[field] as string | undefined;
        if (!path) continue;
        delete settings[field];
        settings[`${field}-data`] ??= (await read(path)).toString('base64');
      }
      if (settings['tokenFile']) {
        settings['token'] ??= (await read(String(settings['tokenFile']))).toString('utf8').trim();
        delete settings['tokenFile'];
      }
      return { ...entry, [member]: settings };
    }),
  );
}
