// Records the main job of the README: runs its five commands on a fresh server and the current cluster of kubectl, and writes what a
// terminal showed to docs/main-job.svg. Needs `npm run build`, and the programs `script` and `stty` of Linux.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Screen } from './screen.mjs';
import { toSvg } from './svg.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const COLUMNS = 110;
const PASSWORD = 'a password for one recording 27';
const SHOWN = 'http://127.0.0.1:9081';

const folder = mkdtempSync(join(tmpdir(), 'armature-recording-'));
const port = await freePort();
const server = spawn(process.execPath, [join(root, 'dist/src/main.js')], {
  cwd: folder,
  env: {
    PATH: process.env.PATH,
    PORT: String(port),
    DATA_DIR: join(folder, 'data'),
    ADMIN_EMAIL: 'admin@armature.local',
    ADMIN_PASSWORD: PASSWORD,
  },
  stdio: 'ignore',
});
process.once('SIGTERM', () => process.exit(1)).once('exit', () => server.kill());
try {
  await ready(`http://127.0.0.1:${port}/healthz/ready`);
  copyFileSync(join(root, 'dist/cli/armature'), join(folder, 'armature'));
  cpSync(join(root, 'scripts/demo'), join(folder, 'scripts/demo'), { recursive: true });
  const runs = [];
  for (const command of commandsOf(readFileSync(join(root, 'README.md'), 'utf8'))) {
    runs.push(await record(command));
    console.log(`${runs.at(-1).seconds.toFixed(1)} s  ${command}`);
  }
  const title = 'Five commands bring a manifest to a cluster: login, cluster add, import, plan, deploy';
  writeFileSync(join(root, 'docs/main-job.svg'), toSvg(runs, { title, columns: COLUMNS }));
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
  console.log(`wrote docs/main-job.svg: ${runs.length} commands in ${seconds.toFixed(1)} s`);
} finally {
  server.kill();
  await Promise.race([once(server, 'exit'), sleep(15_000)]);
  rmSync(folder, { recursive: true, force: true });
}

/** The five commands, as the README has them. */
function commandsOf(readme) {
  const chapter = readme.slice(readme.indexOf('\n## The main job'));
  const block = [...chapter.matchAll(/```sh\n([^]*?)```/g)]
    .map(([, text]) => text)
    .find((text) => text.includes(' login '));
  return block.trim().split('\n');
}

/** What a person types to a question. */
function answerTo(line) {
  if (line.includes('Password: ')) return PASSWORD;
  return line.includes('[y/N] ') ? 'y' : undefined;
}

/** Runs a command on a terminal of its own, and answers its questions. */
async function record(command) {
  const screen = new Screen();
  const line = `stty cols ${COLUMNS} rows 50; ${command.replace(SHOWN, `http://127.0.0.1:${port}`)}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, KUBECONFIG: process.env.KUBECONFIG, HOME: folder, TERM: 'xterm-256color' },
  });
  const started = Date.now();
  let said = '';
  let answered = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
    const typed = answerTo(said.slice(said.lastIndexOf('\n') + 1));
    if (typed !== undefined && answered !== said) child.stdin.write(`${typed}\n`);
    if (typed !== undefined) answered = said;
    screen.write(text.replaceAll(`http://127.0.0.1:${port}`, SHOWN));
  });
  const [code] = await once(child, 'exit');
  const seconds = (Date.now() - started) / 1000;
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${said}`);
  return { command, seconds, rows: screen.rows };
}

async function ready(url) {
  for (let tries = 0; tries < 240; tries += 1) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    await sleep(500);
  }
  throw new Error('the server did not start');
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address();
  probe.close();
  return free;
}
