import { parse, parseAllDocuments } from 'yaml';
import { archiveKind } from '../src/formats/archive.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const SOURCE = `# What the shop needs.
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings # of the shop
data: { b: "2", a: "1" }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { ports: [{ port: 80 }] }
`;

async function imported(): Promise<string> {
  const { body } = await world.admin.upload('/api/pattern/import', 'läden.yaml', SOURCE);
  return body.id as string;
}

async function download(id: string, form = ''): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const response = await fetch(`${world.baseUrl}/api/pattern/download/${id}?export=${form}`, {
    headers: { authorization: `Bearer ${world.admin.token}` },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

it('gives a design back in every form, as an attachment with a name', async () => {
  const id = await imported();
  const design = await download(id);
  expect(design.headers.get('content-disposition')).toMatch(/^attachment; filename=/);
  expect(parse(design.bytes.toString()).components).toHaveLength(2);
  expect(JSON.parse((await download(id, 'json')).bytes.toString()).components).toHaveLength(2);
  const manifest = await download(id, 'kubernetes');
  expect(parseAllDocuments(manifest.bytes.toString()).map((each) => each.toJS().kind)).toEqual([
    'ConfigMap',
    'Service',
  ]);
  expect(manifest.bytes.toString()).toContain('# of the shop');
  expect((await download(id, 'source')).bytes.toString()).toBe(SOURCE);
  expect(archiveKind((await download(id, 'helm')).bytes)).toBe('tar.gz');
});

it('refuses a form that is none, and one that the design does not have', async () => {
  const id = await imported();
  expect((await download(id, 'tape')).status).toBe(400);
  expect((await download(id, 'docker-compose')).status).toBe(400);
});

it('is for those who may read the design', async () => {
  const id = await imported();
  const outsider = await world.outsider();
  expect((await outsider.get(`/api/pattern/download/${id}`)).status).toBe(404);
  expect((await world.stranger.get(`/api/pattern/download/${id}`)).status).toBe(401);
});
