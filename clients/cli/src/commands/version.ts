import type { Command } from 'commander';
import { createHash } from 'node:crypto';
import { chmod, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure, toFailure } from '../failure.js';
import { detailsOf } from '../output.js';
import type { Run } from '../run.js';
import { connect } from '../session.js';
import { isLoopback, type Settings } from '../settings.js';
import { useOwnTransport } from '../transport.js';
import { VERSION } from '../version.js';
import { does } from './command.js';

const PATH = '/download/armature';
const LARGEST = 20_000_000;

export function addVersionCommands(program: Command): void {
  does(
    program
      .command('version')
      .summary('show the versions of the command line and the server')
      .description('Shows the versions of the command line and of the server; no token is needed.'),
    showVersions,
  );
  does(
    program
      .command('upgrade')
      .summary('replace this program by that of the server')
      .description(
        'Replaces this program by the one that the server of the context has, after showing both and asking.',
      ),
    upgrade,
  );
}

async function showVersions(run: Run): Promise<void> {
  const settings = await run.settings();
  const { server: address } = settings;
  let server: string | null = null;
  try {
    server = await serverVersion(settings);
  } catch (error) {
    run.terminal.say(toFailure(error, address).message);
  }
  await run.output.show(
    { client: VERSION, server },
    {
      table: (versions) =>
        detailsOf([
          ['client', versions.client],
          ['server', versions.server ?? 'unknown'],
        ]),
      name: (versions) => [`client/${versions.client}`, ...(versions.server ? [`server/${versions.server}`] : [])],
    },
  );
}

async function serverVersion(settings: Settings): Promise<string> {
  const armature = await connect(settings, undefined);
  return (await armature.getVersion()).version;
}

async function upgrade(run: Run): Promise<void> {
  const settings = await run.settings();
  const { server } = settings;
  if (!settings.isOfContext)
    throw new Failure(
      'a program is taken only from the server of the context',
      'Choose its context with "armature context use NAME", or sign in there with "armature login".',
    );
  if (!server.startsWith('https:') && !isLoopback(server))
    throw new Failure(`${server} is plain http, over which a program is never taken`, 'Use a server with https.');
  await useOwnTransport(settings);
  const own = await realpath(process.argv[1] ?? '');
  const [wanted, version, held] = await Promise.all([
    fetchHash(server),
    serverVersion(settings),
    readFile(own).then(hashOf),
  ]);
  const show = (replaced: boolean): Promise<void> =>
    run.output.showBeside({ file: own, server, version, sha256: wanted, replaced }, () => [`client/${version}`]);
  if (wanted === held) {
    run.terminal.say(`${own} is that of ${server} already: version ${VERSION}.`);
    return show(false);
  }
  run.terminal.say(
    detailsOf([
      ['file', own],
      ['server', server],
      ['version', `${VERSION} -> ${version}`],
      ['sha256', wanted],
    ]),
  );
  await run.confirm('Replace this program?');
  const program = await fetchFrom(server, PATH);
  if (hashOf(program) !== wanted)
    throw new Failure('what came is not what its hash says', 'Try again; a proxy may have changed it.');
  await replace(own, program);
  run.terminal.say(`${own} is version ${version} now.`);
  await show(true);
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function fetchHash(server: string): Promise<string> {
  const text = new TextDecoder().decode(await fetchFrom(server, `${PATH}.sha256`));
  const [, hash] = /^([0-9a-f]{64}) [ *]armature\s*$/.exec(text) ?? [];
  if (hash) return hash;
  throw new Failure(`${server}${PATH}.sha256 is no hash`, 'Compare the versions with "armature version".');
}

/** Sends no token, and goes nowhere else. */
async function fetchFrom(server: string, path: string): Promise<Uint8Array> {
  const url = `${server}${path}`;
  let response: Response;
  try {
    response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(60_000) });
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Failure(
      `${url} cannot be read: ${cause instanceof Error ? cause.message : message}`,
      'Check the network, and try again.',
    );
  }
  if (response.status !== 200)
    throw new Failure(
      `${url} has no program: status ${response.status}`,
      response.status === 404
        ? 'This server is older, or was built without the command line.'
        : 'Try again, or ask who runs the server.',
    );
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > LARGEST) throw new Failure(`${url} is too large for a program`, 'Ask who runs the server.');
  return bytes;
}

/** The file is the old one or the new one at any moment. */
async function replace(path: string, program: Uint8Array): Promise<void> {
  const draft = join(dirname(path), `.armature-${process.pid}`);
  try {
    await writeFile(draft, program, { flag: 'wx' });
    await chmod(draft, 0o755);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
