import { deflateSync, gzipSync } from 'node:zlib';
import type { ResourceKind } from '../clusters/discovery.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import { toResourceRow } from './resource-row.js';

const kind = (name: string): ResourceKind => ({
  ...{ apiVersion: 'v1', group: '', version: 'v1', kind: name, plural: `${name.toLowerCase()}s` },
  ...{ namespaced: true, verbs: [], subresources: [], preferred: true },
});
const row = (object: KubernetesObject) => {
  const made = toResourceRow(kind(object.kind), object);
  return { ...made, content: Buffer.from(made.content).toString() };
};

const COPY = { spec: { containers: [{ env: [{ name: 'PASSWORD', value: 'canary' }] }] } };
const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');
/** What tools store of an object, by the annotations in which they do. */
const COPIES = {
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...COPY }),
  'kopf.zalando.org/last-handled-configuration': `${JSON.stringify(COPY)}\n`,
  'banzaicloud.com/last-applied': base64(Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.from('canary')])),
  'objectset.rio.cattle.io/applied': base64(gzipSync(JSON.stringify(COPY))),
  'example.org/deflated': base64(deflateSync(JSON.stringify(COPY))),
  'example.org/encoded': base64(JSON.stringify(COPY)),
  'example.org/wrapped': JSON.stringify({ revisions: [JSON.stringify(COPY)] }),
  'example.org/yaml': '# before\nspec:\n  containers: [{env: [{name: PASSWORD, value: canary}]}]\n',
  'example.org/part': JSON.stringify([{ op: 'replace', path: '/spec', value: { env: [{ value: 'canary' }] } }]),
};
const DESIGN = '0193a0c4-0000-7000-8000-000000000001';

describe('what is kept of an object', () => {
  it('is nothing of the data of a Secret, wherever a tool has copied it', () => {
    const [value, encoded] = ['canary-in-a-secret', Buffer.from('canary-in-a-secret').toString('base64')];
    const { content } = row({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'keys',
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"password":"${encoded}"}}`,
          'kapp.k14s.io/original': `{"stringData":{"password":"${value}"}}`,
          'example.org/copy': value,
        },
      },
      type: 'Opaque',
      data: { password: encoded },
      stringData: { password: value },
      unknown: value,
    });
    expect(content).not.toMatch(new RegExp(`${value}|${encoded}`));
    expect(JSON.parse(content)).toMatchObject({ type: 'Opaque', data: { password: '18 bytes' } });
  });

  it('hides values of environment variables, and leaves out managed fields and copies of the object', () => {
    const { content } = row({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web',
        managedFields: [{ manager: 'kubelet' }],
        annotations: { ...COPIES, note: 'stays', neg: '{"ingress": true}', checksum: 'c'.repeat(64) },
      },
      spec: { containers: [{ name: 'app', env: [{ name: 'PASSWORD', value: 'canary' }] }] },
    });
    expect(content).not.toMatch(/canary|managedFields/);
    expect((JSON.parse(content) as KubernetesObject).metadata.annotations).toEqual({
      ...{ note: 'stays', neg: '{"ingress": true}', checksum: 'c'.repeat(64) },
    });
  });

  it('is bounded: what is too large is left out and named', () => {
    const data = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, name.repeat(40_000)]));
    const { content, omitted } = row({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data });
    expect(content.length).toBeLessThan(64 * 1024);
    expect(JSON.parse(content)).toMatchObject({ data: { a: 'a'.repeat(40_000) } });
    expect(omitted).toEqual(['/data/b', '/data/c']);
  });

  it('names its owner by labels that are ids', () => {
    const metadata = { name: 'x', labels: { 'armature.dev/design': DESIGN, 'armature.dev/environment': 'no id' } };
    const found = row({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    expect(found).toMatchObject({ design_id: DESIGN, environment_id: null });
  });

  it('is the identity, owner and health of a ReplicaSet, whose digest its other changes leave as it is', () => {
    const replicaSet = (resourceVersion: string, ready: number): KubernetesObject => ({
      ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet' },
      metadata: { name: 'web-1', uid: 'a', resourceVersion, annotations: { revision: '1' } },
      spec: { replicas: 2, template: { spec: { containers: [{ name: 'web' }] } } },
      status: { replicas: 2, readyReplicas: ready, availableReplicas: ready },
    });
    const [first, later, degraded] = [replicaSet('1', 2), replicaSet('2', 2), replicaSet('3', 0)].map(row);
    expect(JSON.parse(first?.content ?? '')).toEqual({
      ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web-1', uid: 'a' } },
    });
    expect(later?.digest).toBe(first?.digest);
    expect(degraded?.health).not.toBe(first?.health);
    expect(degraded?.digest).not.toBe(first?.digest);
  });

  it('has another digest with each version of an object that is stored whole', () => {
    const at = (resourceVersion: string) =>
      row({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', resourceVersion } }).digest;
    expect(at('1')).toBe(at('1'));
    expect(at('2')).not.toBe(at('1'));
  });
});
