import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProfile, stopProfile } from './profile.js';

/** A server in a process of its own, so that what loads it does not slow it down. */
export interface BenchServer {
  url: string;
  pid: number;
  /** Asks the server's process something it knows how to answer. */
  ask: (question: string) => Promise<unknown>;
  stop: () => Promise<void>;
}

/** What a server that nobody asks takes of a processor. */
const IDLE_SHARE = 0.03;

export const ADMIN = { email: 'admin@example.org', password: 'correct horse battery' };

/** Starts a program beside the caller, given as `import.meta.resolve` names it, and waits until it says where it listens. */
export async function startServer(program: string, settings: Record<string, string>): Promise<BenchServer> {
  const profile = process.env['BENCH_PROFILE'];
  const child = fork(fileURLToPath(program), {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [],
  });
  const ask = async (question: string): Promise<unknown> => {
    child.send(question);
    return ((await heard(child)) as { answer: unknown }).answer;
  };
  const { url } = (await heard(child)) as { url: string };
  return {
    url,
    pid: child.pid ?? 0,
    ask,
    stop: async () => {
      const ended = once(child, 'exit');
      child.send('stop');
      await ended;
    },
  };
}

/** Waits until a server has done what it does after its start, for which it would be charged otherwise. */
export async function untilIdle(server: BenchServer): Promise<void> {
  const cpu = async () => (await server.ask('cpu')) as number;
  for (let before = await cpu(), since = performance.now(); ;) {
    await sleep(1_000);
    const [now, at] = [await cpu(), performance.now()];
    if ((now - before) / (at - since) < IDLE_SHARE) return;
    [before, since] = [now, at];
  }
}

async function heard(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const exit = once(child, 'exit', ended).then(([code]) => {
    throw new Error(`a server of the benchmark ended by itself (${String(code)})`);
  });
  try {
    return (await Promise.race([once(child, 'message', ended), exit]))[0] as unknown;
  } finally {
    exit.catch(() => undefined);
    ended.abort();
  }
}

/** A server of this benchmark in a separate process: reports where it listens, answers, and ends on request. */
export function serve(url: string, stop: () => Promise<unknown>, answer?: (question: string) => unknown): void {
  process.on('message', (question: string) => {
    if (question === 'stop') void stop().then(() => process.exit());
    else
      void Promise.resolve((own[question] ?? answer)?.(question)).then((said) =>
        process.send?.({ answer: said ?? null }),
      );
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ url });
}

/** What every server of a benchmark knows to answer. */
const own: Record<string, () => unknown> = { cpu, startProfile, stopProfile };

/** Processor time of this process so far, in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Settings of the product as in production, on this database, without the limit on calls. */
export const production = (databaseUrl: string, settings: Record<string, string> = {}): Record<string, string> => ({
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  LOG_LEVEL: 'error',
  LOG_FORMAT: 'json',
  RATE_LIMIT: 'off',
  JWT_SECRET: '5f2b8c1e9a4d7036e8c1b5a29f0d4e7386b2c9d1a7e5f430',
  ENCRYPTION_KEY: '8f3c1d9be2a7604f5b18c6d37e90a2f4516bd8c07f3e29a4b6d10c8e57f2934a',
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  ...settings,
});

/** Signs in the administrator of the first start, or another user. */
export async function signIn(url: string, account: { email: string; password: string } = ADMIN): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (!access_token) throw new Error(`signing in was answered ${response.status}`);
  return access_token;
}
