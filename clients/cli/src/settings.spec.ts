import { existsSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigStore, type GlobalFlags, parseServer, Settings } from './settings.js';
import { isWithin } from './folder.js';
import { setValue } from './values.js';

const folder = mkdtempSync(join(tmpdir(), 'armature-settings-'));
const store = new ConfigStore(join(folder, 'config.json'));
writeFileSync(
  store.path,
  JSON.stringify({
    current: 'home',
    contexts: {
      home: {
        server: 'https://home.example',
        token: 'x',
        organization: { id: 'o1', name: 'One' },
        workspace: { id: 'w1', name: 'Shop' },
      },
      office: { server: 'https://office.example/armature' },
    },
  }),
);
const load = (env: NodeJS.ProcessEnv = {}, flags: GlobalFlags = {}): Promise<Settings> =>
  Settings.load(env, flags, store);

it('a flag counts before a variable, and that before the context', async () => {
  const plain = await load();
  expect([plain.server, plain.organization, plain.workspace]).toEqual(['https://home.example', 'o1', 'w1']);
  const env = { ARMATURE_SERVER: 'https://env.example', ARMATURE_ORGANIZATION: 'env', ARMATURE_WORKSPACE: 'env' };
  const variables = await load(env);
  expect([variables.server, variables.organization, variables.workspace]).toEqual([
    'https://env.example',
    'env',
    'env',
  ]);
  const flags = await load(env, { server: 'https://flag.example/', organization: 'flag', workspace: 'flag' });
  expect([flags.server, flags.organization, flags.workspace]).toEqual(['https://flag.example', 'flag', 'flag']);
  expect((await load({}, { context: 'office' })).server).toBe('https://office.example/armature');
  await expect(load({}, { context: 'gone' })).rejects.toThrow('there is no context gone');
  expect((await Settings.load({}, {}, new ConfigStore(join(folder, 'none.json')))).server).toBe(
    'http://127.0.0.1:9081',
  );
});

it('what a context has chosen counts on its server and in its organization only', async () => {
  const elsewhere = await load({}, { server: 'https://other.example' });
  expect([elsewhere.isOfContext, elsewhere.organization, elsewhere.workspace]).toEqual([false, undefined, undefined]);
  expect((await load({}, { organization: 'Two' })).workspace).toBeUndefined();
});

it('the address of a server is https, or loopback, and nothing more', () => {
  expect(parseServer('armature.example', false)).toBe('https://armature.example');
  for (const loopback of ['http://127.0.0.1:9081/', 'http://localhost:1', 'http://[::1]:2'])
    expect(() => parseServer(loopback, false)).not.toThrow();
  expect(() => parseServer('http://armature.example', false)).toThrow('plain http');
  expect(parseServer('http://armature.example', true)).toBe('http://armature.example');
  for (const wrong of ['ftp://x', 'https://user:secret@x', 'https://x?y', 'http://'])
    expect(() => parseServer(wrong, false)).toThrow(/no address|more than a scheme/);
});

it('a path is in a folder whatever its name begins with', () => {
  expect(['/a/b', '/a', '/a/..b'].map((path) => isWithin('/a', path))).toEqual([true, true, true]);
  expect(['/ab', '/', '/a/../b'].map((path) => isWithin('/a', path))).toEqual([false, false, false]);
});

it('a setting goes to its place, as JSON where it is some, and never to a prototype', () => {
  const values = { image: { name: 'shop' } };
  for (const setting of [
    'image.tag=1.2.3',
    'replicas=2',
    'hosts=["a"]',
    'labels.app\\.kubernetes\\.io/name=x',
    '__proto__.polluted=1',
  ])
    setValue(values, setting);
  expect(values).toMatchObject({
    image: { name: 'shop', tag: '1.2.3' },
    replicas: 2,
    hosts: ['a'],
    labels: { 'app.kubernetes.io/name': 'x' },
  });
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(() => setValue(values, 'novalue')).toThrow('no setting');
});

describe('the lock of the file', () => {
  const lock = `${store.path}.lock`;

  it('is taken over when it was left behind, and released only by its holder', async () => {
    writeFileSync(lock, 'left behind');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
    await store.update(() => writeFileSync(lock, 'of another program'));
    expect(readFileSync(lock, 'utf8')).toBe('of another program');
    utimesSync(lock, longAgo, longAgo);
    await store.update(() => expect(readFileSync(lock, 'utf8')).not.toBe('of another program'));
    expect(existsSync(lock)).toBe(false);
  });
});
