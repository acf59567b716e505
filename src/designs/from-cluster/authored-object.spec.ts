import { gzipSync } from 'node:zlib';
import { SEALED_VALUE } from '../../formats/design-file/secret-values.js';
import type { KubernetesObject, ManagedFields } from '../../kubernetes/clusters/kubernetes-object.js';
import { toAuthoredObject } from './authored-object.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const container = { name: 'app', image: 'app:1', imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' };

/** A Deployment as an API server has it, with its defaults. */
const deployment = (managedFields: ManagedFields[], annotations?: Record<string, string>): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    ...{ name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 2, managedFields },
    ...{ labels: { tier: 'front' }, finalizers: ['example.com/keep'], ...(annotations && { annotations }) },
  },
  spec: {
    ...{ replicas: 1, revisionHistoryLimit: 10, selector: { matchLabels: { run: 'web' } } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    template: {
      metadata: { labels: { run: 'web' } },
      spec: { containers: [container], dnsPolicy: 'ClusterFirst', restartPolicy: 'Always', securityContext: {} },
    },
  },
  status: { replicas: 1 },
});

const all = { 'f:metadata': { 'f:labels': { '.': {}, 'f:tier': {} } }, 'f:spec': {} };
const byKubectl: ManagedFields = {
  manager: 'kubectl-create',
  operation: 'Update',
  apiVersion: 'apps/v1',
  fieldsV1: all,
};

describe('an object as its authors want it', () => {
  it('has no defaults, no status and no marks, but what was said', () => {
    expect(toAuthoredObject(deployment([byKubectl], { 'meta.helm.sh/release-name': 'web' }))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { tier: 'front' } },
      spec: {
        selector: { matchLabels: { run: 'web' } },
        template: {
          metadata: { labels: { run: 'web' } },
          spec: { containers: [{ name: 'app', image: 'app:1' }] },
        },
      },
    });
  });

  it('keeps a default that its author wrote, as kubectl recorded it or as it was applied', () => {
    const said = {
      spec: { replicas: 1, template: { spec: { containers: [{ name: 'app', imagePullPolicy: 'IfNotPresent' }] } } },
    };
    const recorded = toAuthoredObject(deployment([byKubectl], { [LAST_APPLIED]: JSON.stringify(said) }));
    expect(recorded).toMatchObject({
      spec: { replicas: 1, template: { spec: { containers: [{ name: 'app', imagePullPolicy: 'IfNotPresent' }] } } },
    });
    expect(recorded).not.toHaveProperty('spec.revisionHistoryLimit');
    const fields = {
      'f:spec': {
        'f:revisionHistoryLimit': {},
        'f:template': {
          'f:spec': { 'f:containers': { 'k:{"name":"app"}': { '.': {}, 'f:name': {}, 'f:image': {} } } },
        },
      },
    };
    const applied = deployment([{ manager: 'helm', operation: 'Apply', apiVersion: 'apps/v1', fieldsV1: fields }]);
    expect(toAuthoredObject(applied)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { revisionHistoryLimit: 10, template: { spec: { containers: [{ name: 'app', image: 'app:1' }] } } },
    });
  });

  it('has nothing that only controllers have written, such as replicas that are scaled', () => {
    const scaled: ManagedFields = {
      ...{ manager: 'kube-controller-manager', operation: 'Update', apiVersion: 'apps/v1', subresource: 'scale' },
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    };
    const fieldsV1 = { 'f:spec': { 'f:selector': {} } };
    const object = deployment([{ ...byKubectl, fieldsV1 }, scaled]);
    (object['spec'] as { replicas: number }).replicas = 5;
    expect(toAuthoredObject(object)).toHaveProperty('spec', { selector: { matchLabels: { run: 'web' } } });
    // A person has scaled it.
    const byHand = deployment([
      { ...byKubectl, fieldsV1 },
      { ...scaled, manager: 'kubectl' },
    ]);
    (byHand['spec'] as { replicas: number }).replicas = 5;
    expect(toAuthoredObject(byHand)).toHaveProperty('spec.replicas', 5);
  });

  it('is whole where an author has written another version, whose fields are others', () => {
    const object = toAuthoredObject(
      deployment([{ ...byKubectl, apiVersion: 'apps/v1beta1', fieldsV1: { 'f:spec': { 'f:gone': {} } } }]),
    );
    expect(object).toHaveProperty('spec.selector');
    expect(object).not.toHaveProperty('status');
  });

  it('has placeholders for the values of a Secret, which stay valid data', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      type: 'Opaque',
      data: { password: 'c2VjcmV0' },
    };
    expect(toAuthoredObject(secret)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { password: SEALED_VALUE },
    });
    expect(() => JSON.parse(Buffer.from(SEALED_VALUE, 'base64').toString()) as unknown).not.toThrow();
  });

  it('has no copy of a Secret that a tool keeps in its annotations, and the text of its authors', () => {
    const data = { password: 'c2VjcmV0' };
    const copy = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', data });
    const copies = {
      'objectset.rio.cattle.io/applied': gzipSync(copy).toString('base64'),
      'kopf.zalando.org/last-handled-configuration': copy,
      'banzaicloud.com/last-applied': gzipSync(copy).toString('base64'),
    };
    const others = { 'example.com/stored': copy, 'example.com/before': 'data:\n  password: c2VjcmV0\n' };
    const own = { 'example.com/owner': 'shop', 'example.com/routes': '[{"host":"shop.example.com"}]' };
    const metadata = { name: 's', annotations: { ...copies, ...others, ...own } };
    const secret = toAuthoredObject({ apiVersion: 'v1', kind: 'Secret', metadata, data });
    expect(secret).toHaveProperty('metadata', { name: 's', annotations: own });
    // What an author of another kind writes may look like a copy, and has no values of a Secret.
    const template = { 'example.com/template': 'env:\n  COLOUR: blue\n' };
    const settings = { name: 's', annotations: { ...copies, ...template, ...own } };
    expect(toAuthoredObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: settings })).toHaveProperty('metadata', {
      ...{ name: 's', annotations: { ...template, ...own } },
    });
  });
});
