import { request } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LARGE_INTEGER_MARK } from '../../core/json/large-integers.js';
import { type ApiHandler, ProgramApi } from './program-api.js';

describe('The API of a program', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'program-api-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const ask = (handler: ApiHandler): Promise<string> => {
    const kubeconfig = join(folder, 'config');
    return ProgramApi.serve(handler, { socket: undefined, kubeconfig }, async () => {
      const { clusters } = JSON.parse(await readFile(kubeconfig, 'utf8')) as { clusters: [{ cluster: { server: string } }] }; // prettier-ignore
      return new Promise((resolve, reject) => {
        const sent = request(`${clusters[0].cluster.server}/api`, (response) => {
          let text = '';
          response.on('data', (part: Buffer) => (text += part.toString()));
          response.on('end', () => resolve(`${response.statusCode} ${response.headers['content-type']} ${text}`));
        });
        sent.on('error', reject).end();
      });
    });
  };

  it('passes on what a cluster has answered, whatever its form', async () => {
    const bodies = [{ apiVersion: null, kind: 5 }, { apiVersion: 7 }, { apiVersion: 'a\r\nb/v1', kind: 'APIGroupDiscoveryList' }]; // prettier-ignore
    for (const body of bodies)
      await expect(ask(() => ({ status: 200, body }))).resolves.toBe(`200 application/json ${JSON.stringify(body)}`);
    await expect(ask(() => ({ status: 200, body: { n: `${LARGE_INTEGER_MARK}9007199254740993` } }))).resolves.toBe(
      '200 application/json {"n":9007199254740993}',
    );
  });

  it('ends the connection when a response cannot be written, and only that', async () => {
    const body: Record<string, unknown> = {};
    body['self'] = body;
    await expect(ask(() => ({ status: 200, body }))).rejects.toThrow(/socket hang up|ECONNRESET/);
    await expect(ask(() => Promise.reject(new Error('no')))).resolves.toBe('500 application/json {}');
  });
});
