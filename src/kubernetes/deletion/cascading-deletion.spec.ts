import type { ClusterClient } from '../clusters/cluster-client.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { CascadingDeletion } from './cascading-deletion.js';

/** A ConfigMap that another one owns. */
const owned = (name: string, ...owners: string[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    ownerReferences: owners.map((owner) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: `uid-${owner}` })),
  },
});

describe('A cascading deletion', () => {
  const cluster = (...objects: KubernetesObject[]) =>
    ({
      findKind: () => Promise.resolve({ namespaced: true }),
      lookup: (_: unknown, name: string) => Promise.resolve(objects.find(({ metadata }) => metadata.name === name)),
    }) as unknown as ClusterClient;

  it('ends for objects that own each other or themselves, which stay', async () => {
    const all = [owned('a', 'b'), owned('b', 'a'), owned('self', 'self')];
    const cascade = new CascadingDeletion(cluster(...all));
    const asked = [...all, owned('c', 'a'), owned('d', 'b'), owned('e', 'self')];
    await expect(boundedParallel(asked, 8, (one) => cascade.includes(one))).resolves.toEqual(asked.map(() => false));
  });

  it('has what all owners of which are gone or leave', async () => {
    const cascade = new CascadingDeletion(cluster(owned('a'), owned('b', 'a'), owned('stays')), new Set(['uid-a']));
    await expect(cascade.includes(owned('c', 'b', 'gone'))).resolves.toBe(true);
    await expect(cascade.includes(owned('d', 'b', 'stays'))).resolves.toBe(false);
  });
});
