import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, WrongUse } from './failure.js';

/** A record by its id, with the name that it had when it was chosen. */
export interface Chosen {
  id: string;
  name: string;
}

/** A server, and who is signed in there. */
export interface Context {
  server: string;
  email?: string;
  token?: string;
  refresh_token?: string;
  /** When `token` ends; a token without it is not renewed. */
  expires_at?: string;
  insecure_http?: boolean;
  organization?: Chosen;
  workspace?: Chosen;
}

interface ConfigFile {
  current: string | null;
  contexts: Record<string, Context>;
}

/** What every command takes. */
export interface GlobalFlags {
  output?: string;
  context?: string;
  server?: string;
  organization?: string;
  workspace?: string;
  yes?: boolean;
  insecureHttp?: boolean;
}

const DEFAULT_SERVER = 'http://127.0.0.1:9081';
/** A change takes less, the renewal of a token included. */
const LOCK_STALE_MS = 20_000;
/** Longer, so that the lock of a program that was killed is waited out. */
const LOCK_WAIT_MS = 30_000;

/** The file of contexts, which several programs may change at the same time. */
export class ConfigStore {
  constructor(readonly path: string) {}

  static of(env: NodeJS.ProcessEnv, home = homedir(), platform = process.platform): ConfigStore {
    if (env['ARMATURE_CONFIG']) return new ConfigStore(env['ARMATURE_CONFIG']);
    if (platform === 'win32') return new ConfigStore(join(env['USERPROFILE'] ?? home, '.armature', 'config.json'));
    return new ConfigStore(join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'armature', 'config.json'));
  }

  async read(): Promise<ConfigFile> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, contexts: {} };
      throw error;
    }
    const parsed = parse(text);
    if (parsed) return parsed;
    throw new Failure(
      `${this.path} is no file of contexts`,
      'Correct it, or remove it and sign in again with "armature login".',
    );
  }

  /** Changes the file while no other program does; what is returned by `change` is passed on. */
  async update<T>(change: (config: ConfigFile) => T | Promise<T>): Promise<T> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const release = await this.lock();
    try {
      const config = await this.read();
      const before = JSON.stringify(config);
      const result = await change(config);
      if (JSON.stringify(config) !== before) await this.write(config);
      return result;
    } finally {
      await release();
    }
  }

  /** Readers see the file as it was before or after, never a part of it. */
  private async write(config: ConfigFile): Promise<void> {
    const draft = `${this.path}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await chmod(draft, 0o600);
      await rename(draft, this.path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  private async lock(): Promise<() => Promise<void>> {
    const path = `${this.path}.lock`;
    const nonce = randomUUID();
    for (const end = Date.now() + LOCK_WAIT_MS; ; await sleep(25)) {
      try {
        await writeFile(path, nonce, { flag: 'wx', mode: 0o600 });
        return () => removeLock(path, nonce);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = await readFile(path, 'utf8').catch(() => null);
      const held = await stat(path).catch(() => null);
      if (holder !== null && held && Date.now() - held.mtimeMs > LOCK_STALE_MS) await removeLock(path, holder);
      else if (Date.now() > end)
        throw new Failure(
          `${this.path} is being changed by another program`,
          `Try again; if no other "armature" runs, remove ${path}.`,
        );
    }
  }
}

/** Removes a lock if it is still that of a holder: it is moved aside first, and goes back if another program has taken it since. */
async function removeLock(path: string, holder: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) !== holder) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== holder) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function parse(text: string): ConfigFile | null {
  try {
    const { current = null, contexts } = JSON.parse(text) as Partial<ConfigFile>;
    const isSound = contexts && typeof contexts === 'object' && Object.values(contexts).every(hasServer);
    return isSound ? { current, contexts: Object.assign(Object.create(null) as object, contexts) } : null;
  } catch {
    return null;
  }
}

const hasServer = (context: unknown): boolean =>
  typeof context === 'object' && context !== null && typeof (context as Context).server === 'string';

/** Where a call goes and as whom: a flag counts before a variable, and that before the context. */
export class Settings {
  private constructor(
    readonly store: ConfigStore,
    private readonly env: NodeJS.ProcessEnv,
    private readonly flags: GlobalFlags,
    /** The context that is used; null without one. */
    readonly contextName: string | null,
    readonly context: Context | null,
  ) {}

  /** @throws Failure when --context names one that is gone */
  static async load(env: NodeJS.ProcessEnv, flags: GlobalFlags, store = ConfigStore.of(env)): Promise<Settings> {
    const { current, contexts } = await store.read();
    const name = flags.context ?? current;
    const context = name === null ? null : (contexts[name] ?? null);
    if (flags.context !== undefined && !context)
      throw new Failure(
        `there is no context ${flags.context}`,
        'List them with "armature context list", or make it with "armature login --context NAME".',
      );
    return new Settings(store, env, flags, context ? name : null, context);
  }

  /** The address of the server, without a slash at its end. @throws Failure where it is none, or plain http to another machine */
  get server(): string {
    const chosen = this.flags.server ?? (this.env['ARMATURE_SERVER'] || this.context?.server) ?? DEFAULT_SERVER;
    const insecure = this.flags.insecureHttp ?? (chosen === this.context?.server && this.context.insecure_http);
    return parseServer(chosen, insecure ?? false);
  }

  /** Whether the server is that of the context, so that what the context has chosen there counts. */
  get isOfContext(): boolean {
    return this.context !== null && originOf(this.context.server) === originOf(this.server);
  }

  get givenToken(): string | undefined {
    return this.env['ARMATURE_TOKEN'] || undefined;
  }

  /** The name or id of the organization; undefined leaves it to the server. */
  get organization(): string | undefined {
    const given = this.flags.organization ?? (this.env['ARMATURE_ORGANIZATION'] || undefined);
    return given ?? (this.isOfContext ? this.context?.organization?.id : undefined);
  }

  /** A workspace of another organization than the chosen one does not count. */
  get workspace(): string | undefined {
    const given = this.flags.workspace ?? (this.env['ARMATURE_WORKSPACE'] || undefined);
    const isOther = this.organization !== this.context?.organization?.id;
    return given ?? (this.isOfContext && !isOther ? this.context?.workspace?.id : undefined);
  }

  get certificateAuthority(): string | undefined {
    return this.env['ARMATURE_CA_FILE'] || undefined;
  }

  /** The proxy of calls to other machines; empty without one. */
  get httpsProxy(): string {
    return this.env['https_proxy'] || this.env['HTTPS_PROXY'] || '';
  }
}

export const originOf = (server: string): string => {
  try {
    return new URL(server).origin;
  } catch {
    return server;
  }
};

const LOOPBACK = /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const isLoopback = (server: string): boolean => LOOPBACK.test(new URL(server).hostname);

function withoutSlash(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

/** The address of a server in one form. @throws Failure where a token must not go there */
export function parseServer(text: string, insecureHttp: boolean): string {
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  } catch {
    throw new WrongUse(`${text} is no address of a server`, 'Write it as https://armature.example.org.');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new WrongUse(`${text} is no address of a server`, 'Write it as https://armature.example.org.');
  if (url.username || url.password || url.search || url.hash)
    throw new WrongUse(
      'the address of the server has more than a scheme, a host, a port and a path',
      'Leave out user, password, query and fragment; sign in with "armature login".',
    );
  const server = withoutSlash(url.href);
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(server))
    throw new Failure(
      `${server} is plain http, where others can read the token`,
      'Use https, or add --insecure-http where nobody else can listen.',
    );
  return server;
}
