import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Session } from './session.js';
import { ConfigStore, Settings } from './settings.js';

it('takes the only workspace that is in use, else names the choices, and only reads', async () => {
  const calls: string[] = [];
  let workspaces: object[] = [];
  const server = createServer(({ method, url = '' }, response) => {
    calls.push(`${method} ${url.split('?')[0]}`);
    const profile = { organizations: [{ id: 'o1', name: 'Acme', role: 'member' }], default_organization_id: 'o1' };
    const body = url.includes('profile') ? profile : { workspaces, next_cursor: null };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = {
    ARMATURE_TOKEN: 'read-only',
    ARMATURE_SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  const require = async (...found: object[]): Promise<{ name: string }> => {
    workspaces = found;
    const settings = await Settings.load(env, {}, new ConfigStore('/nowhere/config.json'));
    return (await Session.open(settings)).requireWorkspace();
  };
  const [shop, old, lab] = [
    { id: 'w1', name: 'Shop', status: 'active' },
    { id: 'w2', name: 'Old', status: 'archived' },
    { id: 'w3', name: 'Lab', status: 'active' },
  ];
  try {
    expect(await require(shop, old)).toMatchObject({ name: 'Shop' });
    await expect(require(shop, lab)).rejects.toMatchObject({ exitCode: 1, lines: ['w1  Shop', 'w3  Lab'] });
    await expect(require(old)).rejects.toThrow('this account has no workspace in Acme');
    expect(calls.every((call) => call.startsWith('GET '))).toBe(true);
  } finally {
    server.close();
  }
});
