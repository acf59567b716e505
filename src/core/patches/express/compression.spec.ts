import { get, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import express, { type Response } from 'express';
import { speedPatches } from '../speed.js';
import { compressBodies } from './compression.js';

const TEXT = 'a line of text\n'.repeat(40_000);

const app = express();
const { areApplied } = speedPatches;
speedPatches.areApplied = true;
compressBodies(app);
speedPatches.areApplied = areApplied;
const routes: Record<string, (response: Response) => unknown> = {
  '/short': (response) => response.json({ a: 1 }),
  '/long': (response) => response.json({ text: TEXT }),
  '/stream': (response) => Readable.from([TEXT, TEXT, TEXT]).pipe(response.type('text')),
  '/pieces': (response) => {
    response.type('text');
    for (const piece of [TEXT, TEXT]) response.write(piece);
    response.end('end');
  },
  '/begun': (response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(TEXT),
  '/kept': (response) => response.set('Cache-Control', 'no-transform').json({ text: TEXT }),
  '/image': (response) => response.type('png').send(Buffer.alloc(5_000)),
  '/empty': (response) => response.status(204).end(),
};
app.use((request, response) => void routes[request.path]?.(response));

let server: Server;
beforeAll(async () => {
  await new Promise<void>((resolve) => (server = app.listen(0, '127.0.0.1', () => resolve())));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const read = (path: string, method = 'GET'): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const headers = { 'Accept-Encoding': 'gzip' };
    get({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    }).on('error', reject);
  });

describe('Compression', () => {
  it.each([
    ['/long', JSON.stringify({ text: TEXT })],
    ['/stream', TEXT.repeat(3)],
    ['/pieces', `${TEXT.repeat(2)}end`],
  ])('of %s gives the whole body', async (path, expected) => {
    const { headers, body } = await read(path);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(body).toString() === expected).toBe(true);
  });

  it.each([
    ['/short', 'Accept-Encoding'],
    ['/begun', undefined],
    ['/kept', undefined],
    ['/image', undefined],
    ['/empty', undefined],
  ])('leaves %s as it is', async (path, vary) => {
    const { headers } = await read(path);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, vary]);
  });

  it('answers HEAD with Vary, without a body', async () => {
    const { headers, body } = await read('/long', 'HEAD');
    expect([headers['content-encoding'], headers.vary, body.length]).toEqual([undefined, 'Accept-Encoding', 0]);
  });
});
