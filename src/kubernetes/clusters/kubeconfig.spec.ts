import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { parseKubeconfig } from './parse-kubeconfig.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A certificate and its key from the machine's openssl; tests that need them are skipped without it. */
function pair(): { cert: string; key: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  const [keyFile, certFile] = [join(folder, 'key'), join(folder, 'cert')];
  try {
    const subject = ['-subj', '/CN=test', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', ['req', '-x509', '-nodes', ...subject, '-keyout', keyFile, '-out', certFile], {
      stdio: 'ignore',
    });
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const first = pair();
const second = pair();
const withCertificates = first && second ? it : it.skip;

const cluster = { server: 'https://cluster.example:6443/' };

function config(parts: { cluster?: object; user?: object; context?: object } = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', ...parts.context } }],
    clusters: [{ name: 'c', cluster: { ...cluster, ...parts.cluster } }],
    users: [{ name: 'u', user: { token: 'abc', ...parts.user } }],
  };
}

function read(content: object | string, insecureTls = false) {
  return parseKubeconfig(typeof content === 'string' ? content : stringify(content), { insecureTls });
}

function only(parts: Parameters<typeof config>[0], insecureTls = false) {
  const [context] = read(config(parts), insecureTls);
  if (!context) throw new Error('no context');
  return context;
}

describe('A kubeconfig', () => {
  it('is read as data', () => {
    expect(read(config({ context: { namespace: 'shop' } }))).toEqual([
      {
        context: 'here',
        cluster: 'c',
        user: 'u',
        current: true,
        access: { server: 'https://cluster.example:6443', namespace: 'shop', tls: {}, user: { token: 'abc' } },
      },
    ]);
  });

  it('may be JSON', () => {
    expect(read(JSON.stringify(config()))[0]?.access?.user).toEqual({ token: 'abc' });
  });

  it('keeps name, proxy, basic authentication and impersonation', () => {
    const { access } = only({
      cluster: { 'tls-server-name': 'kubernetes', 'proxy-url': 'http://proxy.example:3128' },
      user: {
        token: undefined,
        username: 'ann',
        password: 'x',
        as: 'bob',
        'as-groups': ['g'],
        'as-user-extra': { k: ['v'] },
      },
    });
    expect(access).toMatchObject({
      tls: { servername: 'kubernetes' },
      proxy: 'http://proxy.example:3128',
      user: { username: 'ann', password: 'x', impersonate: { user: 'bob', groups: ['g'], extra: { k: ['v'] } } },
    });
  });

  it.each([
    ['exec', { user: { exec: { command: 'sh' } } }, '/users/0/user/exec'],
    ['auth-provider', { user: { 'auth-provider': { name: 'gcp' } } }, '/users/0/user/auth-provider'],
    ['tokenFile', { user: { tokenFile: '/etc/shadow' } }, '/users/0/user/tokenFile'],
    ['client-certificate', { user: { 'client-certificate': '/a' } }, '/users/0/user/client-certificate'],
    ['client-key', { user: { 'client-key': '/a' } }, '/users/0/user/client-key'],
    [
      'certificate-authority',
      { cluster: { 'certificate-authority': '/a' } },
      '/clusters/0/cluster/certificate-authority',
    ],
    [
      'insecure-skip-tls-verify',
      { cluster: { 'insecure-skip-tls-verify': true } },
      '/clusters/0/cluster/insecure-skip-tls-verify',
    ],
    ['an http server', { cluster: { server: 'http://cluster.example' } }, '/clusters/0/cluster/server'],
  ])('refuses %s and names field and remedy', (_, parts, pointer) => {
    const { access, error } = only(parts);
    expect(access).toBeUndefined();
    expect(error).toMatchObject({ code: 'KUBECONFIG_UNSAFE', status: 400, remedy: expect.any(String) as string });
    expect(error?.errors).toEqual([
      { pointer, detail: expect.any(String) as string, remedy: expect.any(String) as string },
    ]);
  });

  it('takes unverified and unencrypted servers when the operator allows it', () => {
    expect(only({ cluster: { 'insecure-skip-tls-verify': true } }, true).access?.tls).toEqual({ insecure: true });
    expect(only({ cluster: { server: 'http://127.0.0.1:8001' } }, true).access?.server).toBe('http://127.0.0.1:8001');
  });

  it.each([
    ['a missing server', { cluster: { server: undefined } }, '/clusters/0/cluster/server'],
    ['a server that is no URL', { cluster: { server: 'cluster.example:6443' } }, '/clusters/0/cluster/server'],
    [
      'what is not base64',
      { cluster: { 'certificate-authority-data': '%%%' } },
      '/clusters/0/cluster/certificate-authority-data',
    ],
    [
      'what is not a certificate',
      { cluster: { 'certificate-authority-data': base64('hello') } },
      '/clusters/0/cluster/certificate-authority-data',
    ],
    ['a key that is none', { user: { 'client-key-data': base64('hello') } }, '/users/0/user/client-key-data'],
    ['a token that is a number', { user: { token: 12 } }, '/users/0/user/token'],
    ['a token with a line break', { user: { token: 'a\nHost: b' } }, '/users/0/user/token'],
    ['a missing cluster', { context: { cluster: 'other' } }, '/clusters'],
    ['a missing user', { context: { user: 'other' } }, '/users'],
    ['a socks proxy', { cluster: { 'proxy-url': 'socks5://proxy.example' } }, '/clusters/0/cluster/proxy-url'],
    ['groups without a user to act as', { user: { 'as-groups': ['system:masters'] } }, '/users/0/user/as'],
  ])('points at %s', (_, parts, pointer) => {
    const { error } = only(parts);
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID' });
    expect(error?.errors[0]?.pointer).toBe(pointer);
  });

  it('judges each context by itself', () => {
    const mixed = config();
    mixed.contexts.push({ name: 'there', context: { cluster: 'c', user: 'v' } });
    (mixed.users as object[]).push({ name: 'v', user: { exec: { command: 'aws' } } });
    expect(read(mixed).map(({ context, access, error }) => [context, access?.user.token, error?.code])).toEqual([
      ['here', 'abc', undefined],
      ['there', undefined, 'KUBECONFIG_UNSAFE'],
    ]);
  });

  it('does not choose between two entries of one name', () => {
    const twice = config();
    twice.users.push({ name: 'u', user: { token: 'other' } });
    expect(read(twice)[0]?.error?.errors[0]).toMatchObject({ pointer: '/users/1/user', detail: 'repeats the name u' });
  });

  it.each(['', 'hello', '[]', 'kind: Pod', 'kind: Config', 'contexts: 1', 'a: b: c', '---\na: 1\n---\nb: 2'])(
    'is not %j',
    (text) => {
      expect(() => read(text)).toThrow(expect.objectContaining({ code: 'KUBECONFIG_INVALID', status: 400 }) as Error);
    },
  );

  it('never repeats a secret in an error', () => {
    const { error } = only({ user: { token: 'hush-hush\n', exec: {}, 'client-key-data': 'hush-hush' } });
    expect(JSON.stringify([error?.message, error?.errors, error?.remedy])).not.toContain('hush');
  });

  it.each([
    ['closing brackets', '}'.repeat(100_000), 'too many entries'],
    ['closing brackets below the bound', '}'.repeat(2_900), 'flow-map-end'],
    ['anchors', `- ${'&a '.repeat(200_000)}`, 'too many entries'],
    ['anchors below the bound', `- ${'&a '.repeat(2_900)}`, 'anchor'],
    ['nested keys', '? '.repeat(300_000), 'too many entries'],
    ['nested keys below the bound', '? '.repeat(15_000), 'nested deeper'],
    ['nested lists', '- '.repeat(15_000), 'nested deeper'],
    ['opening brackets', `a: ${'['.repeat(100_000)}`, 'too many entries'],
    ['opening brackets below the bound', `a: ${'['.repeat(2_900)}`, 'nested deeper'],
    ['many mappings', '- {a: 1, b: 2}\n'.repeat(15_000), 'too many entries'],
    ['many lines', 'a\n'.repeat(500_000), 'too many entries'],
    ['length', 'a'.repeat(2_000_000), 'longer than'],
    ['one long quoted text', `a: "${'b '.repeat(300_000)}`, 'quote'],
    [
      'aliases of aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi']
        .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`)
        .join('\n')}`,
      'aliases expand to more than',
    ],
  ])('is refused quickly when it is a bomb of %s', (_, bomb, detail) => {
    const before = performance.now();
    expect(() => read(bomb)).toThrow(detail);
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it('has a bounded number of contexts, and certificates and keys of a bounded size', () => {
    const many = config();
    many.contexts = Array.from({ length: 101 }, (_, index) => ({ ...many.contexts[0], name: `c${index}` })) as never;
    expect(() => read(many)).toThrow('more than 100 contexts');
    const long = 'QUJD'.repeat(140_000);
    expect(only({ cluster: { 'certificate-authority-data': long } }).error?.errors[0]).toMatchObject({
      pointer: '/clusters/0/cluster/certificate-authority-data',
      detail: 'has more than 524288 characters',
    });
    expect(only({ user: { 'client-key-data': long } }).error?.errors[0]).toMatchObject({
      pointer: '/users/0/user/client-key-data',
      detail: 'has more than 65536 characters',
    });
  });

  withCertificates('takes certificates and keys that belong together', () => {
    const user = { 'client-certificate-data': base64(first?.cert ?? ''), 'client-key-data': base64(first?.key ?? '') };
    const { access } = only({ cluster: { 'certificate-authority-data': base64(second?.cert ?? '') }, user });
    expect(access).toMatchObject({ tls: { ca: second?.cert }, user: { cert: first?.cert, key: first?.key } });
    const { error } = only({ user: { ...user, 'client-key-data': base64(second?.key ?? '') } });
    expect(error?.errors[0]?.detail).toBe('does not belong to client-certificate-data');
  });
});
