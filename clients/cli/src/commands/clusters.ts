import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Armature } from '@armature/client';
import { Failure, faultLine } from '../failure.js';
import { describe, kindOf, type Json } from '../records.js';
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
  await run.output.show(await armature.getConnection({ path: { id } }), {
    table: (record) => describe(kind, record),
    name: (record) => [`connection/${record['name']}`],
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

interface KubeconfigEntry extends Json {
  name: string;
}

/** One context of a kubeconfig, with the files that it names inline. */
async function readKubeconfig(
  env: NodeJS.ProcessEnv,
  path: string | undefined,
  wanted: string | undefined,
): Promise<string> {
  const { parse, stringify } = await import('yaml');
  const paths = path === undefined ? defaultPaths(env) : [path];
  const names: string[] = [];
  for (const file of paths) {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (paths.length > 1 && error.code === 'ENOENT') return '';
      throw error;
    });
    const config = parseKubeconfig(parse, text);
    const { contexts, clusters, users } = config;
    names.push(...contexts.map(({ name }) => name));
    const name =
      wanted ??
      (config['current-context'] as string | undefined) ??
      (contexts.length === 1 ? contexts[0]?.name : undefined);
    const context = contexts.find((each) => each.name === name);
    if (!context) continue;
    const { cluster, user } = (context['context'] ?? {}) as { cluster?: string; user?: string };
    const folder = dirname(resolve(file));
    const own = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      contexts: [context],
      clusters: await inline(
        clusters.filter((each) => each.name === cluster),
        'cluster',
        folder,
        ['certificate-authority'],
      ),
      users: await inline(
        users.filter((each) => each.name === user),
        'user',
        folder,
        ['client-certificate', 'client-key'],
      ),
    };
    return stringify(own);
  }
  throw new Failure(
    wanted === undefined
      ? `${paths.join(', ')}: there is no current context`
      : `${paths.join(', ')}: there is no context ${wanted}`,
    names.length > 0 ? 'Choose one of these with --kube-context.' : 'Name a kubeconfig that has contexts.',
    1,
    names,
  );
}

const defaultPaths = (env: NodeJS.ProcessEnv): string[] =>
  env['KUBECONFIG'] ? env['KUBECONFIG'].split(delimiter).filter(Boolean) : [join(homedir(), '.kube', 'config')];

type Kubeconfig = Json & Record<'contexts' | 'clusters' | 'users', KubeconfigEntry[]>;

function parseKubeconfig(parse: (text: string) => unknown, text: string): Kubeconfig {
  let config: unknown;
  try {
    config = parse(text) ?? {};
  } catch {
    config = null;
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new Failure('the file is no kubeconfig', 'Name a file as "kubectl config view --raw" prints it.');
  const entries = (field: string): KubeconfigEntry[] => {
    const list = (config as Json)[field] as unknown;
    return Array.isArray(list) ? (list as KubeconfigEntry[]) : [];
  };
  return { ...(config as Json), contexts: entries('contexts'), clusters: entries('clusters'), users: entries('users') };
}

/** The server takes no paths of files: what they hold goes inline, as `kubectl config view --flatten` does. */
async function inline(
  entries: KubeconfigEntry[],
  member: string,
  folder: string,
  fields: string[],
): Promise<KubeconfigEntry[]> {
  const read = (path: string): Promise<Buffer> => readFile(resolve(folder, path));
  return Promise.all(
    entries.map(async (entry) => {
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
