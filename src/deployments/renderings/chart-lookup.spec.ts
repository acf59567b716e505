import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ResourceKind } from '../../kubernetes/clusters/discovery.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { ChartLookup } from './chart-lookup.js';

const OWNER = { installation: 'i', design: 'd', environment: 'e', connection: 'c' };
const MAPS = { apiVersion: 'v1', plural: 'configmaps' };
const kinds = [{ group: '', version: 'v1', apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true }] as ResourceKind[]; // prettier-ignore
const map = (name: string, data = {}): KubernetesObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }); // prettier-ignore

describe('What a chart looks up', () => {
  const open = (cluster: Partial<ClusterClient>) => new ChartLookup(cluster as ClusterClient, kinds, OWNER);

  it('is asked once, however often the chart is rendered', async () => {
    let count = 0;
    const lookup = open({ lookup: () => Promise.resolve(map(`read-${(count += 1)}`)) });
    const asked = await Promise.all([1, 2, 3].map(() => lookup.find({ ...MAPS, namespace: 'a', name: 'm' })));
    expect(asked.map((one) => (one?.['metadata'] as { name: string }).name)).toEqual(['read-1', 'read-1', 'read-1']);
    await lookup.find({ ...MAPS, namespace: 'b', name: 'm' });
    expect(count).toBe(2);
  });

  it('has at most 1,000 objects, of 16 MiB', async () => {
    async function* pages(text: string): AsyncGenerator<KubernetesObject[]> {
      for (let at = 0; at < 20; at += 1)
        yield await Promise.resolve(Array.from({ length: 100 }, (_, index) => map(`m${at}-${index}`, { text })));
    }
    const [small, large] = ['', 'x'.repeat(100_000)].map((text) => open({ listPages: () => pages(text) }));
    expect((await small?.find(MAPS))?.['items']).toHaveLength(1_000);
    const items = (await large?.find(MAPS))?.['items'] as unknown[];
    expect(items.length).toBe(168);
    expect(large?.warnings).toEqual([expect.stringContaining('were looked up in part')]);
    await expect(large?.find({ ...MAPS, name: 'm', namespace: 'a' })).resolves.toBeUndefined();
  });

  it('is refused with a short text that can be stored', async () => {
    const lookup = open({ lookup: () => Promise.reject(new ClusterError('forbidden', 'no')) });
    await lookup.find({ ...MAPS, namespace: 'a', name: `m\0${'x'.repeat(100_000)}` });
    await lookup.find({ ...MAPS, namespace: 'a', name: 'm\0' });
    expect(lookup.warnings[1]).toBe('ConfigMap a/m was not looked up: no');
    expect(lookup.warnings[0]?.length).toBeLessThan(600);
    expect(lookup.warnings.join('')).not.toContain('\0');
  });
});
