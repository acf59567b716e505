import { createServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { KubernetesObject } from '../../src/kubernetes/clusters/kubernetes-object.js';
import { AUTHORITY, CERTIFICATES, CERTIFIED_KEY } from '../../test/support/certificates.js';

const MIRROR = 'mirror.example.org/';

interface Container {
  image: string;
}
interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
}
interface Workload extends KubernetesObject {
  spec?: PodSpec & { template?: { spec?: PodSpec } };
}
interface Review {
  request: { uid: string; object: Workload };
}
type Operation = { op: 'add' | 'replace'; path: string; value: unknown };

/** What admission webhooks of the field do: images from a mirror, a sidecar, an annotation on everything. */
export async function startMutatingWebhook(): Promise<{
  configuration: KubernetesObject;
  calls: () => number;
  stop: () => void;
}> {
  let calls = 0;
  const server = createServer({ key: CERTIFIED_KEY, cert: CERTIFICATES.good }, (request, response) => {
    void json(request).then((body) => {
      calls += 1;
      const { uid, object } = (body as Review).request;
      const patch = Buffer.from(JSON.stringify(mutate(object))).toString('base64');
      const answer = { uid, allowed: true, patchType: 'JSONPatch', patch };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const rule = (apiGroups: string[], resources: string[]) => ({
    ...{ apiGroups, resources, apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], scope: 'Namespaced' },
  });
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'mutating' },
    webhooks: [
      {
        name: 'mutating.example.org',
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(AUTHORITY).toString('base64'),
        },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        reinvocationPolicy: 'IfNeeded',
        rules: [
          rule([''], ['configmaps', 'secrets', 'services', 'serviceaccounts', 'persistentvolumeclaims']),
          rule(['apps'], ['deployments', 'statefulsets', 'daemonsets']),
          rule(['networking.k8s.io'], ['ingresses', 'networkpolicies']),
        ],
        // What the control plane itself makes is left as it is.
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'default'] },
          ],
        },
      },
    ],
  };
  return { configuration, calls: () => calls, stop: () => server.close().closeAllConnections() };
}

function mutate({ metadata, spec }: Workload): Operation[] {
  const patch: Operation[] = metadata.annotations
    ? [{ op: 'add', path: '/metadata/annotations/example.org~1admitted', value: 'yes' }]
    : [{ op: 'add', path: '/metadata/annotations', value: { 'example.org/admitted': 'yes' } }];
  const pod = spec?.template?.spec;
  for (const list of ['containers', 'initContainers'] as const)
    for (const [index, { image }] of (pod?.[list] ?? []).entries())
      if (!image.startsWith(MIRROR))
        patch.push({ op: 'replace', path: `/spec/template/spec/${list}/${index}/image`, value: `${MIRROR}${image}` });
  const names = (pod?.containers as { name?: string }[] | undefined)?.map(({ name }) => name);
  if (names && !names.includes('sidecar'))
    patch.push({
      op: 'add',
      path: '/spec/template/spec/containers/-',
      value: { name: 'sidecar', image: `${MIRROR}proxy:1` },
    });
  return patch;
}
