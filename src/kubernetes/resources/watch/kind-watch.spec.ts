import type { ClusterClient } from '../../clusters/cluster-client.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { FieldSet } from '../../clusters/field-set.js';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import type { WatchEvent } from '../../clusters/object-answers.js';
import { combineApplied, rememberApplied } from '../applied-fields.js';
import { type SeenResource, toSeenResource } from '../resource-row.js';
import { type KindSink, KindWatch, type StoredResource } from './kind-watch.js';

const CONFIG_MAPS: ResourceKind = {
  ...{ apiVersion: 'v1', group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
  ...{ verbs: ['list', 'watch'], subresources: [], preferred: true },
};

const configMap = (uid: string, resourceVersion: string, fieldsV1: FieldSet): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { colour: 'blue' } },
  metadata: {
    ...{ name: 'settings', namespace: 'shop', uid, resourceVersion },
    managedFields: [{ manager: 'armature', operation: 'Apply', time: '2026-01-01T00:00:00Z', fieldsV1 }],
  },
});

const IDLE_SINK: KindSink = {
  upsert: () => Promise.resolve(),
  delete: () => Promise.resolve(),
  findStored: () => Promise.resolve([]),
  sweep: () => Promise.resolve(),
  deleteUnseen: () => Promise.resolve(),
  hasRoomFor: () => true,
  pace: () => 0,
  withListSlot: (work) => work(),
  report: () => undefined,
  requestClusterCheck: () => undefined,
};

async function* oneAfterAnother<T>(values: T[]): AsyncGenerator<T> {
  for (const value of values) yield Promise.resolve(value);
}

/** What is written and deleted for a cluster that lists these objects. */
async function list(items: SeenResource[], stored: StoredResource[]): Promise<{ written: string[]; swept: string[] }> {
  const stop = new AbortController();
  const [written, swept]: [string[], string[]] = [[], []];
  const client = {
    listReadPages: () => oneAfterAnother([{ items, resourceVersion: '1' }]),
    watch: () => oneAfterAnother([]),
  } as unknown as ClusterClient;
  const sink: KindSink = {
    ...IDLE_SINK,
    findStored: () => Promise.resolve(stored),
    upsert: (_kind, seen) => Promise.resolve(void written.push(...seen.map(({ row }) => row.name))),
    sweep: (_kind, gone) => Promise.resolve(void swept.push(...gone.map(({ name }) => name))),
    report: () => stop.abort(),
  };
  await new KindWatch(CONFIG_MAPS, sink).run(client, stop.signal);
  return { written, swept };
}

/** The writes for a cluster with an empty list that then sends these states at once. */
async function watched(states: KubernetesObject[]): Promise<SeenResource[]> {
  const stop = new AbortController();
  const written: SeenResource[] = [];
  const client = {
    listReadPages: () => oneAfterAnother([{ items: [], resourceVersion: '1' }]),
    watch: () => oneAfterAnother(states.map((object): WatchEvent => ({ type: 'MODIFIED', object }))),
  } as unknown as ClusterClient;
  const sink: KindSink = {
    ...IDLE_SINK,
    upsert: (_kind, seen) => {
      written.push(...seen);
      if (seen.length > 0) stop.abort();
      return Promise.resolve();
    },
  };
  await new KindWatch(CONFIG_MAPS, sink).run(client, stop.signal);
  return written;
}

const fieldsOf = ({ applied, appliedBefore }: SeenResource): FieldSet | undefined =>
  (applied ? combineApplied(appliedBefore, rememberApplied(applied, null)) : appliedBefore)?.fields;

describe('a watch of one kind', () => {
  const all: FieldSet = { 'f:data': { 'f:colour': {}, 'f:shape': {}, 'f:size': {} } };
  const most: FieldSet = { 'f:data': { 'f:shape': {}, 'f:size': {} } };
  const size: FieldSet = { 'f:data': { 'f:size': {} } };

  it('knows what was applied to an object that others changed before it is written', async () => {
    const [seen, ...others] = await watched([
      configMap('a', '2', all),
      configMap('a', '3', most),
      configMap('a', '4', size),
    ]);
    expect(others).toEqual([]);
    expect(seen?.row.uid).toBe('a');
    expect(fieldsOf(seen as SeenResource)).toEqual(all);
  });

  it('takes nothing over from another object that had the name before', async () => {
    const [seen] = await watched([configMap('a', '2', all), configMap('b', '3', size)]);
    expect(fieldsOf(seen as SeenResource)).toEqual(size);
  });

  it('writes only what differs from what is stored, and deletes what is not listed any more', async () => {
    const objects = ['same', 'changed', 'new']
      .map((name) => configMap(name, '1', all))
      .map((object) => ({
        ...object,
        metadata: { ...object.metadata, name: object.metadata.uid ?? '' },
      }));
    const listed = objects.map((object) => toSeenResource(CONFIG_MAPS, object));
    const stored = [
      { namespace: 'shop', name: 'same', digest: listed[0]?.row.digest ?? null },
      { namespace: 'shop', name: 'changed', digest: 'of another state' },
      { namespace: 'shop', name: 'gone', digest: 'of the last state' },
    ];
    expect(await list(listed, stored)).toEqual({ written: ['changed', 'new'], swept: ['gone'] });
  });
});
