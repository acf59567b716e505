import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { AUTHORITY, CERTIFICATES, CERTIFIED_KEY } from '../../../test/support/certificates.js';
import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import { configMap, customKind, DeploymentScene, outcomes } from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { until } from '../../../test/support/until.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { DriftComparison } from '../drift/drift-comparison.js';

const service = (name: string): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }] } },
});

/** A webhook server, which does not respond while it hangs. */
class ValidatingWebhook {
  hangs = false;
  calls = 0;
  private readonly server: Server = createServer(
    { key: CERTIFIED_KEY, cert: CERTIFICATES.good },
    (request, response) => {
      this.calls += 1;
      if (this.hangs) return;
      void json(request).then((body) => {
        const { uid } = (body as { request: { uid: string } }).request;
        const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(review));
      });
    },
  );

  /** Registers the webhook for Services of one namespace. */
  async start(name: string, namespace: string): Promise<KubernetesObject> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const { port } = this.server.address() as AddressInfo;
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['services'], operations: ['CREATE', 'UPDATE'] };
    const webhook = {
      name: 'hangs.example.org',
      clientConfig: {
        url: `https://127.0.0.1:${port}/`,
        caBundle: Buffer.from(AUTHORITY).toString('base64'),
      },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 1,
      rules: [rule],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    };
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: [webhook],
    };
  }

  stop(): void {
    this.server.close().closeAllConnections();
  }
}

requires('KUBEBUILDER_ASSETS', 'A deployment to a cluster that refuses', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster({ bare: true });
  }, 60_000);
  beforeEach(async () => {
    scene = await DeploymentScene.open(cluster.kubeconfig);
  });
  afterEach(() => scene.close());

  const remove = async ({ apiVersion, kind: name, metadata }: KubernetesObject): Promise<void> => {
    const kind = await scene.client.findKind(apiVersion, name);
    if (!kind) throw new Error(`no ${name}`);
    await scene.client.delete(kind, metadata.name, kind.namespaced ? scene.namespace : undefined);
  };
  const data = async (name: string) => (await scene.live('v1', 'ConfigMap', name))?.['data'];

  it('by a webhook that does not respond is rolled back, and names the object', async () => {
    const webhook = new ValidatingWebhook();
    const configuration = await webhook.start(`hangs-${scene.namespace}`, scene.namespace);
    await scene.others(configuration);
    try {
      await until(async () => {
        await scene.plan([service('tried')]);
        return webhook.calls > 0;
      }, 20_000);
      await scene.deploy([configMap('a', { value: 'old' })]);
      const plan = await scene.plan([configMap('a', { value: 'new' }), configMap('b'), service('c')]);
      const result = await scene.apply(plan, {
        timeoutMs: 60_000,
        onProgress: () => {
          webhook.hangs = true;
        },
      });
      expect(result).toMatchObject({ status: 'rolled_back', failure: { status: 422 } });
      expect(outcomes(result)).toEqual([
        'ConfigMap/a: rolled_back',
        'ConfigMap/b: rolled_back',
        'Service/c: failed WEBHOOK_FAILED',
      ]);
      expect(result.resources[2]?.error?.detail).toContain('hangs.example.org');
      expect(await data('a')).toEqual({ value: 'old' });
      expect(await data('b')).toBeUndefined();
      const [planned] = (await scene.plan([service('c')])).items;
      expect(planned?.planned.error?.reason).toBe('WEBHOOK_FAILED');
      // An object that never changed needs no undoing, which the webhook would refuse too.
      webhook.hangs = false;
      await scene.deploy([configMap('a', { value: 'old' }), service('d')]);
      const changed = { ...service('d'), spec: { ports: [{ port: 81 }] } };
      const later = await scene.apply(await scene.plan([configMap('a', { value: 'new' }), changed]), {
        timeoutMs: 60_000,
        onProgress: () => {
          webhook.hangs = true;
        },
      });
      expect(later.status).toBe('rolled_back');
      expect(outcomes(later)).toEqual(['ConfigMap/a: rolled_back', 'Service/d: failed WEBHOOK_FAILED']);
    } finally {
      webhook.stop();
      await remove(configuration);
    }
  }, 120_000);

  it('by a policy of its own names the policy', async () => {
    const name = `no-debug-${scene.namespace}`;
    const [apiVersion, rule] = ['admissionregistration.k8s.io/v1', { apiGroups: [''], apiVersions: ['v1'] }];
    const policy: KubernetesObject = {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name } },
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }] },
        validations: [
          { expression: "!has(object.data) || !('debug' in object.data)", message: 'debug is not allowed' },
        ],
      },
    };
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } };
    const binding: KubernetesObject = {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
      spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector } },
    };
    for (const object of [policy, binding]) await scene.others(object);
    const tried = async () => (await scene.plan([configMap('a', { debug: '1' })])).items[0]?.planned.error;
    await until(async () => (await tried()) !== undefined, 20_000);
    expect(await tried()).toMatchObject({
      reason: 'DENIED',
      detail: expect.stringMatching(/no-debug-.*debug is not allowed/) as string,
    });
    for (const object of [binding, policy]) await remove(object);
  }, 60_000);

  it('that never serves a definition is rolled back, with the conditions of the definition', async () => {
    const { definition } = customKind();
    await scene.others(definition);
    const { group } = definition['spec'] as { group: string };
    const taken = structuredClone(definition);
    taken.metadata.name = `widgets.${group}`;
    Object.assign(taken['spec'] as object, { names: { kind: 'Widget', plural: 'widgets', shortNames: ['gadgets'] } });
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } };
    const result = await scene.deploy([taken, configMap('a'), widget]);
    expect(result).toMatchObject({ status: 'rolled_back', failure: { status: 422 } });
    expect(outcomes(result)).toEqual([
      `CustomResourceDefinition/widgets.${group}: failed NOT_ESTABLISHED`,
      'ConfigMap/a: skipped',
      'Widget/one: skipped',
    ]);
    expect(result.resources[0]?.error?.detail).toMatch(/gadgets.*already in use/);
    expect(await scene.live(taken.apiVersion, taken.kind, taken.metadata.name)).toBeUndefined();
    await remove(definition);
  }, 60_000);

  it('whose object is replaced during the write leaves the new one alone', async () => {
    await scene.deploy([configMap('first', { value: 'old' }), configMap('replaced', { value: 'old' })]);
    const plan = await scene.plan([configMap('first', { value: 'new' }), configMap('replaced', { value: 'new' })]);
    const { client } = scene;
    const apply = client.apply.bind(client);
    client.apply = async (kind, object, options) => {
      if (object.metadata.name !== 'replaced' || options.dryRun) return apply(kind, object, options);
      client.apply = apply;
      await remove(object);
      await scene.others(configMap('replaced', { theirs: '1' }));
      return apply(kind, object, options);
    };
    const result = await scene.apply(plan);
    expect(result.status).toBe('rolled_back');
    expect(outcomes(result)).toEqual(['ConfigMap/first: rolled_back', 'ConfigMap/replaced: failed NOT_OWNED']);
    expect(await data('first')).toEqual({ value: 'old' });
    expect(await data('replaced')).toEqual({ theirs: '1' });
    // The same for an object that it is about to prune.
    const prune = await scene.plan([configMap('replaced', { theirs: '1' })], { adopt: true });
    expect(prune.items.map(({ planned }) => planned.action)).toEqual(['unchanged', 'prune']);
    await remove(configMap('first'));
    await scene.others(configMap('first', { theirs: '1' }));
    expect(await scene.apply(prune)).toMatchObject({ status: 'succeeded' });
    expect(await data('first')).toEqual({ theirs: '1' });
  }, 60_000);

  it('that does not delete an object to prune continues after a while, and names the finalizer', async () => {
    await scene.deploy([configMap('stays'), configMap('held')]);
    await scene.others(configMap('held', {}, { finalizers: ['example.org/never'] }));
    const result = await scene.deploy([configMap('stays')]);
    expect(result.status).toBe('succeeded');
    expect(result.resources.find(({ name }) => name === 'held')).toMatchObject({
      status: 'deleting',
      message: expect.stringContaining('it waits for example.org/never') as string,
    });
    await scene.others(configMap('held', {}, { finalizers: [] }));
    await until(async () => (await scene.live('v1', 'ConfigMap', 'held')) === undefined, 10_000);
  }, 60_000);

  it('because an API server is unavailable does not count objects as deleted, and keeps the inventory', async () => {
    const { definition, object } = customKind();
    await scene.others(definition);
    const gadget = object('one');
    const { apiVersion } = gadget;
    await until(async () => (await scene.client.findKind(apiVersion, 'Gadget', 0)) !== undefined, 10_000);
    expect(await scene.deploy([gadget, configMap('a')])).toMatchObject({ status: 'succeeded' });
    const group = apiVersion.replace(/\/v1$/, '');
    const absent: KubernetesObject = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'false' } },
      spec: {
        ...{ group, version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 100, insecureSkipTLSVerify: true },
        service: { name: 'absent', namespace: 'default', port: 443 },
      },
    };
    await scene.others(absent);
    const isDown = async (): Promise<boolean> => {
      scene.client.invalidateKinds();
      return scene.client.isUnavailable(apiVersion);
    };
    await until(isDown, 30_000);
    expect(await scene.client.findKind(apiVersion, 'Gadget')).toBeUndefined();

    const down = (items: { planned: { kind: string; action: string; error?: { reason: string } } }[]) =>
      items.map(({ planned: { kind, action, error } }) => `${kind} ${action} ${error?.reason ?? 'ok'}`);
    expect(down((await scene.plan([gadget, configMap('a')])).items)).toEqual([
      'Gadget create API_UNAVAILABLE',
      'ConfigMap unchanged ok',
    ]);
    expect(down((await scene.plan([configMap('a')])).items)).toEqual([
      'ConfigMap unchanged ok',
      'Gadget prune API_UNAVAILABLE',
    ]);
    expect(await scene.deploy([configMap('a', { value: 'new' })])).toMatchObject({ status: 'failed' });
    const { owner, namespace, recorded } = scene;
    const applied = { owner, namespace, objects: recorded, mode: 'fields' } as const;
    const drift = await new DriftComparison(scene.client, applied).compare([
      { component: 'one', object: gadget },
      { component: 'two', object: configMap('a') },
    ]);
    expect(drift.resources.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'Gadget unknown',
      'ConfigMap in_sync',
    ]);
    expect(drift.drifted).toEqual([]);
    const refused = await scene.undeploy();
    expect(refused.status).toBe('failed');
    expect(outcomes(refused)).toContain('Gadget/one: failed API_UNAVAILABLE');

    await remove(absent);
    await until(
      async () => !(await isDown()) && (await scene.client.findKind(apiVersion, 'Gadget', 0)) !== undefined,
      30_000,
    );
    expect((await scene.live(apiVersion, 'Gadget', 'one'))?.['spec']).toEqual({ size: 1 });
    expect(down((await scene.plan([])).items)).toEqual(['Gadget prune ok']);
    await remove(definition);
  }, 120_000);
});
