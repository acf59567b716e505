import { type AppError, InvalidRequest } from '../../core/errors/app-error.js';
import { INLINE_MAX_BYTES } from '../../core/json/json-chunks.js';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { tooBusy } from '../../core/workers/fair-queue.js';
import { defineTask, type TaskRunner } from '../../core/workers/task.js';
import { ClusterTransport } from './cluster-transport.js';
import type { ResourceKind } from './discovery.js';
import { type PageInput, type ReadPage, readPage } from './read-page.js';

const KIND: ResourceKind = {
  ...{ apiVersion: 'v1', group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
  ...{ verbs: ['list', 'watch'], subresources: [], preferred: true },
};

describe('a large response that no worker reads', () => {
  const outbound = new Outbound({ allow: [], connections: 'private', production: false });
  const access = { server: 'http://127.0.0.1:1', tls: {}, user: {} };
  const neverRun = defineTask(import.meta.url, {
    neverRun: (): ReadPage<never> => ({ refusal: 'it was read' }),
  });
  const large = () => ({ bytes: new Uint8Array(INLINE_MAX_BYTES + 1), kind: KIND });

  const costly = new InvalidRequest('Reading this input takes too long.', { code: 'TOO_COSTLY', remedy: 'Send less.' });
  it.each<[string, AppError]>([
    ['throttled', tooBusy('Too many files are waiting')],
    ['tooLarge', costly],
  ])('is a fault of this cluster alone: %s', async (kind, reason) => {
    const refuse = (): Promise<never> => Promise.reject(reason);
    const tasks: TaskRunner = { run: refuse, collect: refuse };
    const expected = { kind, message: reason.message, remedy: reason.remedy, cause: reason };
    await expect(readPage<never>(large(), neverRun, tasks)).rejects.toMatchObject(expected);
    const transport = new ClusterTransport(access, outbound, tasks);
    await expect(transport.parse(large().bytes)).rejects.toMatchObject(expected);
    await transport.close();
  });

  it('keeps an error that is neither', async () => {
    const fault = new Error('A worker ended before its task did.');
    const fail = (): Promise<never> => Promise.reject(fault);
    const read = readPage<never>(large() satisfies PageInput, neverRun, { run: fail, collect: fail });
    await expect(read).rejects.toBe(fault);
  });
});
