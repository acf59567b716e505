import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { UnusedClaims } from './unused-claims.js';

const claim = (name: string, storageClassName: string): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace: 'shop' } },
  spec: { storageClassName },
});

describe('Claims that no pod uses', () => {
  let asked: string[];
  const open = (mayList = true) =>
    new UnusedClaims({
      findKind: (_: string, kind: string) => Promise.resolve({ kind }),
      lookup: (_: unknown, name: string) => {
        asked.push(name);
        return Promise.resolve({ volumeBindingMode: name === 'late' ? 'WaitForFirstConsumer' : 'Immediate' });
      },
      async *listPages() {
        asked.push('pods');
        if (!mayList) throw new ClusterError('forbidden', 'no');
        const volumes = [{ emptyDir: {} }, { persistentVolumeClaim: { claimName: 'used' } }];
        yield await Promise.resolve([{ spec: { volumes } }, { spec: { volumes: null } }]);
      },
    } as unknown as ClusterClient);
  beforeEach(() => {
    asked = [];
  });

  it('are found with one request for their class and one for the pods of a namespace', async () => {
    const claims = open();
    await expect(claims.includes(claim('used', 'late'))).resolves.toBe(false);
    for (let index = 0; index < 20; index += 1)
      await expect(claims.includes(claim(`unused-${index}`, 'late'))).resolves.toBe(true);
    await expect(claims.includes(claim('unused', 'soon'))).resolves.toBe(false);
    expect(asked).toEqual(['late', 'pods', 'soon']);
  });

  it('are assumed where pods may not be listed', async () => {
    await expect(open(false).includes(claim('used', 'late'))).resolves.toBe(true);
  });
});
