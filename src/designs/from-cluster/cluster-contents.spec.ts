import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ResourceKind } from '../../kubernetes/clusters/discovery.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { ClusterContents, type ClusterQuery } from './cluster-contents.js';

const kindOf = (kind: string, more: Partial<ResourceKind> = {}): ResourceKind => ({
  ...{ apiVersion: 'v1', group: '', version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced: true },
  ...{ verbs: ['list', 'delete'], subresources: [], preferred: true, ...more },
});

const configMap = (name: string, more: Partial<KubernetesObject['metadata']> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', ...more },
  data: { name },
});

type Lists = Record<string, () => KubernetesObject[]>;

/** A cluster with one namespace, `shop`, that lists these objects by kind. */
const clusterOf = (lists: Lists): ClusterClient => {
  const kinds = [...Object.keys(lists).map((kind) => kindOf(kind)), kindOf('Event')];
  const client = {
    listKinds: () => Promise.resolve(kinds),
    listUnavailable: () => Promise.resolve(new Set<string>()),
    findKind: (_: string, kind: string) => Promise.resolve(kindOf(kind)),
    lookup: (_: ResourceKind, name: string) => Promise.resolve(name === 'shop' ? configMap(name) : undefined),
    // eslint-disable-next-line @typescript-eslint/require-await -- as the client lists
    async *listPages({ kind }: ResourceKind) {
      yield lists[kind]?.() ?? [];
    },
  };
  return client as Partial<ClusterClient> as ClusterClient;
};

const read = (client: ClusterClient, more: Partial<ClusterQuery> = {}) =>
  new ClusterContents(
    client,
    {
      ...{ connectionId: '', namespaces: ['shop'], selector: undefined, kinds: undefined },
      ...{ includesOwned: false, isPreview: true, ...more },
    },
    AbortSignal.timeout(10_000),
  ).read();

const namesIn = (found: Awaited<ReturnType<typeof read>>): string[] =>
  (found.objects.get('shop') ?? []).map(({ identity }) => identity.name);

const refusal = (kind: 'forbidden' | 'expired' | 'unreachable') => (): never => {
  throw new ClusterError(kind, `the list is ${kind}`);
};

describe('the contents of namespaces', () => {
  it('are the same in whatever order they are listed', async () => {
    const objects = [configMap('b'), configMap('a'), configMap('kube-root-ca.crt'), configMap('c')];
    const [one, other] = await Promise.all([
      read(clusterOf({ ConfigMap: () => objects })),
      read(clusterOf({ ConfigMap: () => [...objects].reverse() })),
    ]);
    expect(one).toEqual(other);
    expect(namesIn(one)).toEqual(['a', 'b', 'c']);
    expect(one.leftOut).toMatchObject([{ name: 'kube-root-ca.crt', code: 'GENERATED' }]);
  });

  it('name the kinds that the credential may not list', async () => {
    const found = await read(clusterOf({ ConfigMap: () => [configMap('a')], Secret: refusal('forbidden') }));
    expect(namesIn(found)).toEqual(['a']);
    expect(found.leftOut).toEqual([
      {
        ...{ api_version: 'v1', kind: 'Secret', namespace: 'shop', name: null, code: 'NOT_READABLE' },
        reason: 'the cluster does not list secrets: the list is forbidden',
      },
    ]);
  });

  it('are listed anew when a page expires, but not for ever, and not at all from a cluster that is away', async () => {
    let expired = 2;
    const lists = { ConfigMap: () => (expired-- > 0 ? refusal('expired')() : [configMap('a')]) };
    expect(namesIn(await read(clusterOf(lists)))).toEqual(['a']);
    await expect(read(clusterOf({ ConfigMap: refusal('expired') }))).rejects.toMatchObject({ kind: 'expired' });
    await expect(read(clusterOf({ ConfigMap: refusal('unreachable') }))).rejects.toMatchObject({ status: 502 });
  });

  it('are bounded, and leave out what is being deleted with a warning', async () => {
    const many = Array.from({ length: 5_001 }, (_, index) => configMap(`map-${index}`));
    await expect(read(clusterOf({ ConfigMap: () => many }))).rejects.toMatchObject({
      status: 400,
      errors: [{ pointer: '/namespaces', detail: expect.stringContaining('5000 objects') as string }],
    });
    const leaving = configMap('gone', { deletionTimestamp: '2027-01-31T18:00:00Z' });
    const found = await read(clusterOf({ ConfigMap: () => [leaving, configMap('stays')] }));
    expect(namesIn(found)).toEqual(['stays']);
    expect(found.warnings).toEqual([{ detail: 'ConfigMap shop/gone is being deleted and is left out' }]);
    const all = many
      .slice(0, 102)
      .map(({ metadata }) => configMap(metadata.name, { ...leaving.metadata, ...metadata }));
    const { warnings } = await read(clusterOf({ ConfigMap: () => [...all, configMap('stays')] }));
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toEqual({ detail: '2 more objects that are being deleted are left out' });
  });

  it('count the values of Secrets, which a preview does not keep, and what is left out', async () => {
    const secrets = Array.from({ length: 51 }, (_, index) => ({
      ...configMap(`secret-${index}`),
      kind: 'Secret',
      data: { value: 'A'.repeat(1_000_000) },
    }));
    const few = clusterOf({ Secret: () => secrets.slice(0, 1) });
    const valuesIn = async (isPreview: boolean) => (await read(few, { isPreview })).objects.get('shop')?.[0]?.values;
    expect(await valuesIn(true)).toBeUndefined();
    expect(await valuesIn(false)).toEqual(secrets[0]?.data);
    const many = clusterOf({ Secret: () => secrets });
    expect(namesIn(await read(many, { isPreview: true }))).toHaveLength(51);
    const refused = { status: 400, errors: [{ pointer: '/namespaces' }], remedy: expect.any(String) as string };
    await expect(read(many, { isPreview: false })).rejects.toMatchObject(refused);
    const generated = (count: number) => Array.from({ length: count }, () => configMap('kube-root-ca.crt'));
    expect((await read(clusterOf({ ConfigMap: () => generated(50_000) }))).leftOut).toHaveLength(50_000);
    await expect(read(clusterOf({ ConfigMap: () => generated(50_001) }))).rejects.toMatchObject(refused);
  });

  it('refuse namespaces and kinds that are not there', async () => {
    const client = clusterOf({ ConfigMap: () => [] });
    await expect(read(client, { namespaces: ['shop', 'gone'] })).rejects.toMatchObject({
      errors: [{ pointer: '/namespaces/1' }],
    });
    await expect(read(client, { kinds: ['configmaps', 'Gizmo'] })).rejects.toMatchObject({
      errors: [{ pointer: '/kinds/1' }],
    });
  });
});
