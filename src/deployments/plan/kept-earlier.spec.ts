import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { findKeptEarlier } from './kept-earlier.js';
import { type KeptObject } from './kept-objects.js';

const owner = { installation: 'i', design: 'd', environment: 'e', connection: 'c' };
const claim = (name: string, uid = name): KeptObject => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name, uid },
  isGenerated: true,
});

/** A cluster that has the objects of these names, and refuses others with an error. */
const clusterOf = (objects: Record<string, object | ClusterError | undefined>): ClusterClient =>
  ({
    findKind: () => Promise.resolve({ kind: 'PersistentVolumeClaim', namespaced: true }),
    lookup: (_: unknown, name: string) => {
      const found = objects[name];
      return found instanceof ClusterError ? Promise.reject(found) : Promise.resolve(found && { metadata: found });
    },
  }) as unknown as ClusterClient;

describe('What was kept earlier', () => {
  it('is there, gone, made anew, of another owner, or cannot be read now', async () => {
    const cluster = clusterOf({
      there: { name: 'there', uid: 'there' },
      anew: { name: 'anew', uid: 'other' },
      taken: {
        ...{ name: 'taken', uid: 'taken' },
        labels: { 'armature.dev/installation': 'i', 'armature.dev/design': 'another' },
      },
      forbidden: new ClusterError('forbidden', 'no'),
      failing: new ClusterError('unavailable', 'later'),
      slow: new ClusterError('timeout', 'later'),
    });
    const names = ['there', 'gone', 'anew', 'taken', 'forbidden', 'failing', 'slow'];
    const { found, unreadable } = await findKeptEarlier(
      cluster,
      owner,
      names.map((name) => claim(name)),
    );
    expect(found.map(({ live }) => live.metadata.name)).toEqual(['there']);
    expect(unreadable).toEqual(['forbidden', 'failing', 'slow'].map((name) => claim(name)));
  });

  it('is not known of a cluster that cannot be reached', async () => {
    const cluster = clusterOf({ a: new ClusterError('unreachable', 'away') });
    await expect(findKeptEarlier(cluster, owner, [claim('a')])).rejects.toThrow('away');
  });
});
