import { randomBytes } from 'node:crypto';
import type { BenchServer } from '../support/server.js';
import type { GrownOrganization } from './organizations.js';

/** What is measured, for each organization: a call that answers its status. */
export type Work = (server: BenchServer, organization: GrownOrganization) => Promise<number>;

const list = (query: string, who: 'owner' | 'viewer'): Work => {
  return (server, organization) =>
    ask(server, organization[who], `/api/environments?orgID=${organization.id}&pagesize=20${query}`);
};

export const WORKS: Record<string, Work> = {
  'list, admin': (server, organization) =>
    list(`&page=${Math.floor(Math.random() * 5)}`, 'owner')(server, organization),
  'list, viewer of 10': list('', 'viewer'),
  // Four of the letters that names are made of: 10 names of 100,000 have them.
  search: (server, organization) => list(`&search=${randomBytes(2).toString('hex')}`, 'owner')(server, organization),
  create: (server, { id, owner }) => ask(server, owner, '/api/environments', { name: 'one more', organization_id: id }),
};

async function ask(server: BenchServer, token: string, path: string, body?: object): Promise<number> {
  const response = await fetch(server.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : null,
  });
  await response.arrayBuffer();
  return response.status;
}
