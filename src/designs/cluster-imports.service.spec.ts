import { Actor } from '../core/access/actor.js';
import type { ResourceKind } from '../kubernetes/clusters/discovery.js';
import { ClusterImportsService } from './cluster-imports.service.js';
import type { ObjectGroup } from './from-cluster/group-task.js';

const actor = Actor.system('test');
const kind: ResourceKind = {
  ...{ apiVersion: 'v1', group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
  ...{ verbs: ['list', 'delete'], subresources: [], preferred: true },
};
const query = {
  ...{ connectionId: 'c', namespaces: ['shop'], selector: undefined, kinds: undefined, includesOwned: false },
};

/** An import from a namespace with so many objects, each of which is a design. */
function importOf(count: number, isPreview: boolean, abort?: AbortController) {
  const objects = Array.from({ length: count }, (_, index) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${index}`, namespace: 'shop' } },
  }));
  const client = {
    listKinds: () => Promise.resolve([kind]),
    listUnavailable: () => Promise.resolve(new Set<string>()),
    findKind: () => Promise.resolve(kind),
    lookup: () => Promise.resolve(objects[0]),
    // eslint-disable-next-line @typescript-eslint/require-await -- as the client lists
    async *listPages() {
      yield objects;
    },
  };
  const written: string[] = [];
  const used: string[] = [];
  const workspace = { id: 'w', organizationId: 'o' };
  const groups: ObjectGroup[] = objects.map(({ metadata }, index) => ({
    ...{ name: metadata.name, members: [index], reason: '' },
  }));
  const parts = [
    {
      resolve: () => Promise.resolve(used.push('resolve')).then(() => workspace),
      propose: () => Promise.resolve(used.push('propose')).then(() => ({ workspace, isProposed: true })),
    },
    { findByWorkspace: () => Promise.resolve([{ connectionId: 'c', environmentId: 'e', tier: 'development' }]) },
    {},
    { get: () => Promise.resolve({ client }) },
    {},
    { toYaml: () => Promise.resolve('') },
    { fromManifest: (_: unknown, name: string) => Promise.resolve(name) },
    {
      parse: (_: unknown, __: unknown, name: string) =>
        Promise.resolve({ design: { name }, warnings: [], outcome: 'parsed', file: null }),
      prepare: (_: unknown, parsed: { design: { name: string } }) =>
        Promise.resolve(() => {
          written.push(parsed.design.name);
          abort?.abort(new Error('cancelled'));
          return Promise.resolve({ ...parsed, outcome: 'created' });
        }),
    },
    {},
    { run: () => Promise.resolve(groups) },
    { run: (work: () => Promise<unknown>) => work() },
  ];
  const service = Reflect.construct(ClusterImportsService, parts) as ClusterImportsService;
  const job = abort && { signal: abort.signal, reportProgress: () => undefined };
  return { written, used, result: service.import(actor, {}, { ...query, isPreview }, job) };
}

describe('an import from a cluster', () => {
  it('creates no workspace where it is only a preview', async () => {
    const preview = importOf(2, true);
    expect((await preview.result).counts).toMatchObject({ designs: 2 });
    expect(preview).toMatchObject({ used: ['propose'], written: [] });
    const made = importOf(2, false);
    await made.result;
    expect(made).toMatchObject({ used: ['resolve'], written: ['map-0', 'map-1'] });
  });

  it('makes at most 500 designs', async () => {
    expect((await importOf(500, false).result).counts).toMatchObject({ designs: 500 });
    const { result, written } = importOf(501, false);
    await expect(result).rejects.toMatchObject({
      status: 400,
      errors: [{ pointer: '/namespaces', detail: 'hold more than 500 designs' }],
      remedy: expect.stringContaining('narrow') as string,
    });
    expect(written).toEqual([]);
  });

  it('writes no further design when it is cancelled', async () => {
    const { result, written } = importOf(3, false, new AbortController());
    await expect(result).rejects.toThrow('cancelled');
    expect(written).toEqual(['map-0']);
  });
});
