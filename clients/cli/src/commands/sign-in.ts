import type { Command } from 'commander';
import type { ProfileView } from '@armature/client';
import { Failure, WrongUse } from '../failure.js';
import { detailsOf, tableOf } from '../output.js';
import type { Run } from '../run.js';
import { connect, refresh, toTokens } from '../session.js';
import { type Context, ConfigStore, originOf, parseServer, Settings } from '../settings.js';
import { does, withExamples } from './command.js';

interface LoginFlags {
  email?: string;
  passwordStdin?: boolean;
  tokenStdin?: boolean;
}

export function addSignInCommands(program: Command): void {
  withExamples(
    does(
      program
        .command('login [url]')
        .summary('sign in on a server')
        .description(
          'Signs in on a server, and keeps the session in a context. The password is asked for, or read from standard input.',
        )
        .option('--email <address>', 'the address of the account')
        .option('--password-stdin', 'read the password from the first line of standard input')
        .option('--token-stdin', 'keep a token instead, from the first line of standard input'),
      login,
    ),
    'armature login http://127.0.0.1:9081 --email admin@armature.local',
    'printenv ARMATURE_PASSWORD | armature login https://armature.example.org --email ci@example.org --password-stdin',
  );
  does(
    program
      .command('logout')
      .summary('end a session')
      .description('Ends the session of the context, and forgets its token.')
      .option('--all', 'of every context'),
    logout,
  );
  does(
    program.command('whoami').summary('show who is signed in').description('Shows who is signed in, and where.'),
    showCaller,
  );

  const context = program
    .command('context')
    .summary('choose between servers')
    .description('Servers, and who is signed in on them.');
  does(context.command('list').description('Lists the contexts.'), listContexts);
  does(context.command('use <name>').description('Makes a context the one that is used.'), useContext);
  does(context.command('delete <name>').description('Ends the session of a context, and forgets it.'), deleteContext);

  const organization = program
    .command('organization')
    .summary('choose an organization')
    .description('The organization that calls are about.');
  does(organization.command('use <name>').description('Keeps the organization in the context.'), useOrganization);
  const workspace = program
    .command('workspace')
    .summary('choose a workspace')
    .description('The workspace that calls are about.');
  does(workspace.command('use <name>').description('Keeps the workspace in the context.'), useWorkspace);
}

async function login(run: Run, flags: LoginFlags, url?: string): Promise<void> {
  const { terminal } = run;
  const { context: wanted, insecureHttp = false } = run.flags;
  if (flags.passwordStdin && flags.tokenStdin)
    throw new WrongUse('--password-stdin and --token-stdin exclude each other', 'Give one of them.');
  const store = ConfigStore.of(run.env);
  const held = wanted === undefined ? undefined : (await store.read()).contexts[wanted];
  const before = await Settings.load(run.env, {
    ...run.flags,
    context: held ? wanted : undefined,
    server: url === undefined ? run.flags.server : parseServer(url, insecureHttp),
  });
  const { server } = before;
  const reads = flags.passwordStdin ?? flags.tokenStdin ?? false;
  if (!reads && !terminal.isInteractive)
    throw new WrongUse(
      'nobody can be asked for a password here',
      'Send it on standard input with --password-stdin, or a token with --token-stdin, or set ARMATURE_TOKEN.',
    );
  const signed: Context = { server };
  if (insecureHttp) signed.insecure_http = true;
  if (flags.tokenStdin) signed.token = await terminal.readSecret();
  else {
    const email =
      flags.email ?? (terminal.isInteractive ? (await terminal.ask(`E-mail address on ${server}: `)).trim() : '');
    if (!email) throw new WrongUse('--email is missing', 'Name the account with --email ADDRESS.');
    const password = flags.passwordStdin ? await terminal.readSecret() : await terminal.askSecret('Password: ');
    const anyone = await connect(before, undefined);
    Object.assign(signed, toTokens(await anyone.signIn({ body: { email, password } })));
  }
  const armature = await connect(before, signed.token);
  const profile = await armature.getProfile();
  signed.email = profile.email;
  const organization = chooseOrganization(profile);
  if (organization) {
    signed.organization = { id: organization.id, name: organization.name };
    const { workspaces } = await armature.listWorkspaces({ query: { orgID: organization.id, pagesize: 2 } });
    const [only] = workspaces;
    if (only && workspaces.length === 1) signed.workspace = { id: only.id, name: only.name };
  }
  const name = wanted ?? new URL(server).host;
  await store.update((config) => {
    const previous = config.contexts[name];
    if (previous?.organization?.id === signed.organization?.id && originOf(previous?.server ?? '') === originOf(server))
      signed.workspace = previous?.workspace ?? signed.workspace;
    config.contexts[name] = signed;
    config.current = name;
  });
  terminal.say(`Signed in on ${server} as ${profile.email}.`);
  if (!organization && profile.organizations.length > 1)
    terminal.say('The account is in several organizations: choose one with "armature organization use NAME".');
  await run.output.showBeside(toShown(name, signed, name), nameContext);
}

function chooseOrganization({ organizations, default_organization_id: preset }: ProfileView) {
  return organizations.length === 1 ? organizations[0] : organizations.find(({ id }) => id === preset);
}

interface ShownContext {
  name: string;
  server: string;
  email: string | null;
  signed_in: boolean;
  organization: string | null;
  workspace: string | null;
  current: boolean;
}

/** A context without its token. */
const toShown = (name: string, context: Context, current: string | null): ShownContext => ({
  name,
  server: context.server,
  email: context.email ?? null,
  signed_in: context.token !== undefined,
  organization: context.organization?.name ?? null,
  workspace: context.workspace?.name ?? null,
  current: name === current,
});

const nameContext = ({ name }: ShownContext): string[] => [`context/${name}`];

/** Ends the session at the server, which also ends it where its file was copied to; the token may have ended before it. */
async function endSession(run: Run, context: Context): Promise<void> {
  const { server, refresh_token, insecure_http: insecureHttp } = context;
  if (!refresh_token) return;
  try {
    const settings = await Settings.load(run.env, { server, insecureHttp });
    const tokens = await refresh(settings, refresh_token);
    const armature = await connect(settings, tokens.token);
    await armature.signOut({ body: { refresh_token: tokens.refresh_token } });
  } catch {
    run.terminal.say(`${server} could not be told: the session there ends by itself.`);
  }
}

async function logout(run: Run, { all }: { all?: boolean }): Promise<void> {
  const store = ConfigStore.of(run.env);
  const { contexts, current } = await store.read();
  const chosen = run.flags.context ?? current;
  if (!all && (chosen === null || !contexts[chosen]))
    throw new Failure('there is no context to sign out of', 'List them with "armature context list".');
  const names = all ? Object.keys(contexts) : [chosen as string];
  const ended: Context[] = [];
  const left = await store.update((config) => {
    for (const name of names) {
      const context = config.contexts[name];
      if (!context?.token) continue;
      ended.push({ ...context });
      for (const secret of ['token', 'refresh_token', 'expires_at'] as const) delete context[secret];
    }
    return names.flatMap((name) => (config.contexts[name] ? toShown(name, config.contexts[name], current) : []));
  });
  for (const context of ended) await endSession(run, context);
  run.terminal.say(
    ended.length === 0 ? 'Nobody was signed in.' : `Signed out of ${ended.map(({ server }) => server).join(', ')}.`,
  );
  await run.output.showBeside(all ? left : left[0], () => left.flatMap(nameContext));
}

async function showCaller(run: Run): Promise<void> {
  const profile = await (await run.session()).getProfile();
  const settings = await run.settings();
  await run.output.show(profile, {
    table: ({ email, first_name, last_name, installation_admin, organizations }) =>
      detailsOf([
        ['user', email],
        ['name', [first_name, last_name].filter(Boolean).join(' ')],
        ['server', settings.server],
        ['context', settings.isOfContext ? settings.contextName : null],
        ['installation admin', installation_admin || null],
        ['organizations', organizations.map(({ name, role }) => `${name} (${role})`).join(', ')],
        [
          'workspace',
          settings.workspace === settings.context?.workspace?.id
            ? settings.context?.workspace?.name
            : settings.workspace,
        ],
      ]),
    name: ({ email }) => [`user/${email}`],
  });
}

async function listContexts(run: Run): Promise<void> {
  const { contexts, current } = await ConfigStore.of(run.env).read();
  const shown = Object.entries(contexts).map(([name, context]) => toShown(name, context, current));
  await run.output.show(shown, {
    table: (records) =>
      tableOf(
        records,
        [
          ['', (context) => (context.current ? '*' : '')],
          ['NAME', ({ name }) => name],
          ['SERVER', ({ server }) => server],
          ['USER', ({ email, signed_in: signedIn }) => (signedIn ? email : '(signed out)')],
          ['ORGANIZATION', ({ organization }) => organization],
          ['WORKSPACE', ({ workspace }) => workspace],
        ],
        run.terminal.width,
      ),
    name: (records) => records.flatMap(nameContext),
  });
}

const noContext = (name: string): Failure =>
  new Failure(`there is no context ${name}`, 'List them with "armature context list".');

async function useContext(run: Run, _: object, name: string): Promise<void> {
  const used = await ConfigStore.of(run.env).update((config) => {
    const context = config.contexts[name];
    if (!context) throw noContext(name);
    config.current = name;
    return toShown(name, context, name);
  });
  run.terminal.say(`Context ${name} is used from now on.`);
  await run.output.showBeside(used, nameContext);
}

async function deleteContext(run: Run, _: object, name: string): Promise<void> {
  const removed = await ConfigStore.of(run.env).update((config) => {
    const context = config.contexts[name];
    if (!context) throw noContext(name);
    delete config.contexts[name];
    if (config.current === name) config.current = null;
    return context;
  });
  await endSession(run, removed);
  run.terminal.say(`Context ${name} is gone.`);
  await run.output.showBeside({ ...toShown(name, removed, null), signed_in: false }, nameContext);
}

/** Changes the context that is used. @throws Failure where the server is not that of a context */
async function changeContext(run: Run, change: (context: Context) => void): Promise<void> {
  const settings = await run.settings();
  const { contextName } = settings;
  if (contextName === null || !settings.isOfContext)
    throw new Failure(
      'there is no context of this server to keep the choice in',
      'Sign in with "armature login", or use --organization, --workspace, ARMATURE_ORGANIZATION and ARMATURE_WORKSPACE.',
    );
  await settings.store.update(({ contexts }) => {
    const context = contexts[contextName];
    if (!context) throw noContext(contextName);
    change(context);
  });
}

async function useOrganization(run: Run, _: object, text: string): Promise<void> {
  const chosen = await (await run.session()).resolveOrganization(text);
  const { id, name } = chosen;
  await changeContext(run, (context) => {
    if (context.organization?.id !== id) delete context.workspace;
    context.organization = { id, name };
  });
  run.terminal.say(`Organization ${name} is used from now on.`);
  await run.output.showBeside(chosen, () => [`organization/${name}`]);
}

async function useWorkspace(run: Run, _: object, text: string): Promise<void> {
  const session = await run.session();
  const [organization, chosen] = await Promise.all([session.requireOrganization(), session.resolveWorkspace(text)]);
  const { id, name } = chosen;
  await changeContext(run, (context) => {
    context.organization = { id: organization.id, name: organization.name };
    context.workspace = { id, name };
  });
  run.terminal.say(`Workspace ${name} is used from now on.`);
  await run.output.showBeside(chosen, () => [`workspace/${name}`]);
}
