import type { JsonObject } from '../../core/json/json.js';
import { validateBySchema } from '../validate-by-schema.js';

/** The errors of a resource of a built-in type that its schema does not report. */
function said(resource: JsonObject): string[] {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const { errors } = validateBySchema({ metadata: { name: 'name' }, ...resource }, schema);
  return errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
}

const container = { name: 'a', image: 'b' };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
const selector = { matchLabels: { app: 'a' } };
const ofPod = (spec: JsonObject): string[] =>
  said({ apiVersion: 'v1', kind: 'Pod', spec: { containers: [container], ...spec } });
const ofContainer = (members: JsonObject): string[] => ofPod({ containers: [{ ...container, ...members }] });

describe('the rules of built-in types', () => {
  it.each<[string, JsonObject, string]>([
    [
      'a deployment whose selector does not find its pods',
      { spec: { selector: { matchLabels: { app: 'b' } }, template } },
      '`selector` does not match template `labels`',
    ],
    ['a deployment without a selector', { spec: { template } }, '/spec/selector Required value'],
    [
      'a deployment that never restarts',
      { spec: { selector, template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } },
      'supported values: "Always"',
    ],
    [
      'a deployment that may not change any pod',
      { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } } },
      'may not be 0 when `maxSurge` is 0',
    ],
  ])('refuse %s', (_, resource, words) => {
    expect(said({ apiVersion: 'apps/v1', kind: 'Deployment', ...resource }).join('\n')).toContain(words);
  });

  it('take a deployment that is right', () => {
    expect(said({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { selector, template } })).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ['the same name twice', { containers: [container, container] }, '/spec/containers/1/name Duplicate value: "a"'],
    ['no image', { containers: [{ name: 'a' }] }, '/spec/containers/0/image Required value'],
    [
      'a mount of no volume',
      { containers: [{ ...container, volumeMounts: [{ name: 'x', mountPath: '/x' }] }] },
      'name Not found: "x"',
    ],
    [
      'a volume of two kinds',
      { volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'c' } }] },
      'may not specify more than 1 volume type',
    ],
    [
      'a toleration of what cannot be',
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      'value must be empty',
    ],
  ])('refuse a pod with %s', (_, spec, words) => {
    expect(ofPod(spec).join('\n')).toContain(words);
  });

  it.each<[string, JsonObject, string]>([
    [
      'more asked for than allowed',
      { resources: { requests: { cpu: '2' }, limits: { cpu: '1500m' } } },
      'must be less than or equal to cpu limit of 1500m',
    ],
    ['a port out of range', { ports: [{ containerPort: 70000 }] }, 'must be between 1 and 65535, inclusive'],
    [
      'a probe of two kinds',
      { livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } },
      'may not specify more than 1 handler type',
    ],
    ['a probe of no kind', { livenessProbe: {} }, 'must specify a handler type'],
    [
      'a variable from two places',
      { env: [{ name: 'A', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      'may not be specified when `value` is not empty',
    ],
  ])('refuse a container with %s', (_, members, words) => {
    expect(ofContainer(members).join('\n')).toContain(words);
  });

  it.each<[string, string, JsonObject, string]>([
    [
      'v1',
      'Service',
      { spec: { ports: [{ port: 0 }] } },
      '/spec/ports/0/port Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    ['v1', 'Service', { spec: { ports: [{ port: 1 }, { port: 2 }] } }, '/spec/ports/0/name Required value'],
    ['v1', 'Service', { spec: { type: 'ExternalName' } }, '/spec/externalName Required value'],
    ['v1', 'ConfigMap', { data: { 'a b': 'c' } }, 'a valid config key'],
    ['v1', 'Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': 'YQ==' } }, '/data/tls.key Required value'],
    ['v1', 'PersistentVolumeClaim', { spec: { resources: {} } }, '/spec/accessModes Required value'],
    [
      'batch/v1',
      'CronJob',
      { spec: { schedule: '61 * * * *', jobTemplate: { spec: { template } } } },
      'end of range (61) above maximum (59)',
    ],
    ['batch/v1', 'Job', { spec: { template } }, 'valid values: "OnFailure", "Never"'],
    [
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      { spec: { minReplicas: 3, maxReplicas: 2 } },
      'must be greater than or equal to `minReplicas`',
    ],
    ['policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1, maxUnavailable: 1 } }, 'cannot be both set'],
    [
      'networking.k8s.io/v1',
      'Ingress',
      { spec: { rules: [{ http: { paths: [{ backend: {} }] } }] } },
      'pathType must be specified',
    ],
    [
      'networking.k8s.io/v1',
      'NetworkPolicy',
      { spec: { ingress: [{ ports: [{ port: 5, endPort: 4 }] }] } },
      '/spec/ingress/0/ports/0/endPort',
    ],
    [
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      { roleRef: { kind: 'Pod', name: 'a' } },
      'supported values: "Role", "ClusterRole"',
    ],
  ])('refuse %s %s %j', (apiVersion, kind, resource, words) => {
    expect(said({ apiVersion, kind, ...resource }).join('\n')).toContain(words);
  });

  it('read values as Go does: null is nothing, numbers have their bounds, quantities their form', () => {
    const schema: JsonObject = {
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
      properties: {
        spec: {
          type: 'object',
          properties: {
            count: { type: 'integer', format: 'int32' },
            amount: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
            port: { $ref: '#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString' },
            containers: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
      definitions: {
        'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
        'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
          format: 'int-or-string',
          oneOf: [{ type: 'integer' }, { type: 'string' }],
        },
      },
    };
    const judge = (spec: JsonObject): string[] =>
      validateBySchema(
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [container], ...spec } },
        schema,
      ).errors.map(({ pointer }) => pointer);
    expect(judge({ count: null, amount: '1.5Gi', port: 'http' })).toEqual([]);
    expect(judge({ count: 2 ** 31, amount: '1 Gi', port: 1.5 })).toEqual(['/spec/count', '/spec/amount', '/spec/port']);
  });
});
