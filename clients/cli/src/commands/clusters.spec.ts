import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { readKubeconfig } from './clusters.js';

const folder = mkdtempSync(join(tmpdir(), 'armature-kubeconfig-'));
const file = (name: string, content: object | string): string => {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

file('a/ca.pem', 'of a');
file('b/ca.pem', 'of b');
const first = file('a/config', {
  'current-context': 'two',
  contexts: [{ name: 'one', context: { cluster: 'shared', user: 'me' } }],
  clusters: [{ name: 'shared', cluster: { server: 'https://a.example', 'certificate-authority': 'ca.pem' } }],
});
const second = file('b/config', {
  'current-context': 'one',
  contexts: [
    { name: 'one', context: { cluster: 'other', user: 'me' } },
    { name: 'two', context: { cluster: 'other', user: 'me' } },
  ],
  clusters: [
    { name: 'shared', cluster: { server: 'https://b.example' } },
    { name: 'other', cluster: { server: 'https://other.example', 'certificate-authority': 'ca.pem' } },
  ],
  users: [{ name: 'me', user: { token: 'x' } }],
});
const env = { KUBECONFIG: [join(folder, 'missing'), first, second].join(delimiter) };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the files of KUBECONFIG', () => {
  it('are merged as kubectl does: the first value counts, and paths are relative to their own file', async () => {
    expect(parse(await readKubeconfig(env, undefined, undefined))).toMatchObject({
      'current-context': 'two',
      contexts: [{ name: 'two' }],
      clusters: [{ cluster: { server: 'https://other.example', 'certificate-authority-data': base64('of b') } }],
      users: [{ user: { token: 'x' } }],
    });
    expect(parse(await readKubeconfig(env, undefined, 'one'))).toMatchObject({
      contexts: [{ context: { cluster: 'shared' } }],
      clusters: [{ cluster: { server: 'https://a.example', 'certificate-authority-data': base64('of a') } }],
      users: [{ user: { token: 'x' } }],
    });
  });

  it('without the wanted context name those that there are, each once', async () => {
    await expect(readKubeconfig(env, undefined, 'three')).rejects.toMatchObject({ lines: ['one', 'two'] });
  });
});
