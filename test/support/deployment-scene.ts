import { randomUUID } from 'node:crypto';
import { Outbound } from '../../src/core/outbound/outbound.service.js';
import { Applier, type ApplyOptions } from '../../src/deployments/apply/applier.js';
import { type AppliedChange, type ChangeJournal } from '../../src/deployments/apply/applied-change.js';
import { type DeploymentResult } from '../../src/deployments/apply/resource-result.js';
import { RunClock } from '../../src/deployments/apply/run-clock.js';
import { Undo } from '../../src/deployments/apply/undo.js';
import { toResourceState, applyUndo } from '../../src/deployments/apply/undone-resources.js';
import { Undeployer, type UndeployOptions } from '../../src/deployments/apply/undeployer.js';
import { type SchemaValidator } from '../../src/deployments/plan/definition-validator.js';
import { type KeptObject } from '../../src/deployments/plan/kept-objects.js';
import { type Owner } from '../../src/deployments/plan/owner.js';
import { type Plan } from '../../src/deployments/plan/plan.js';
import { Planner, type PlanOptions } from '../../src/deployments/plan/planner.js';
import { ClusterClient } from '../../src/kubernetes/clusters/cluster-client.js';
import { type ClusterLimits } from '../../src/kubernetes/clusters/cluster-transport.js';
import { InlineTaskRunner } from '../../src/core/workers/task.js';
import { parseKubeconfig } from '../../src/kubernetes/clusters/parse-kubeconfig.js';
import { type KubernetesObject, type ObjectReference } from '../../src/kubernetes/clusters/kubernetes-object.js';
import { validateInWorker } from '../../src/validation/validation-task.js';
import { until } from './until.js';

/** Judges by schemas as the service does, without a worker. */
export const schemaValidator: SchemaValidator = {
  validateAgainst: (resources, schemas) => Promise.resolve(validateInWorker({ resources, schemas })),
};

/** Calls a test's cluster as the kubeconfig says. */
export function clusterClient(kubeconfig: string, limits?: Partial<ClusterLimits>): ClusterClient {
  const [context] = parseKubeconfig(kubeconfig, { insecureTls: false });
  if (!context?.access) throw context?.error ?? new Error('the kubeconfig has no context');
  const outbound = new Outbound({ allow: [], connections: 'private', production: false });
  return new ClusterClient(context.access, outbound, new InlineTaskRunner(), limits);
}

/** Keeps what a deployment changes for as long as the test has it. */
export class MemoryJournal implements ChangeJournal {
  changes: AppliedChange[] = [];

  record(changes: AppliedChange[]): Promise<void> {
    this.changes.push(...changes);
    return Promise.resolve();
  }

  withdraw(changes: AppliedChange[]): Promise<void> {
    this.changes = this.changes.filter((one) => !changes.includes(one));
    return Promise.resolve();
  }
}

/** How a deployment ended, undone where it failed as a whole. */
export type SceneResult = Omit<DeploymentResult, 'status'> & { status: DeploymentResult['status'] | 'rolled_back' };

/** One owner with a namespace of its own, who deploys, and another user who works on the same cluster. */
export class DeploymentScene {
  readonly owner: Owner = {
    installation: randomUUID(),
    design: randomUUID(),
    environment: randomUUID(),
    connection: randomUUID(),
  };
  /** What deployments have applied so far, as their records would show. */
  readonly recorded: ObjectReference[] = [];
  /** What they have there without labels of the owner, as is recorded. */
  private kept: KeptObject[] = [];

  constructor(
    readonly client: ClusterClient,
    readonly namespace = `scene-${randomUUID().slice(0, 8)}`,
  ) {}

  /** Another owner who deploys into the same namespace. */
  another(): DeploymentScene {
    return new DeploymentScene(this.client, this.namespace);
  }

  static async open(kubeconfig: string, limits?: Partial<ClusterLimits>): Promise<DeploymentScene> {
    const scene = new DeploymentScene(clusterClient(kubeconfig, limits));
    await scene.others({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: scene.namespace } });
    return scene;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  plan(objects: Record<string, unknown>[], options: PlanOptions = {}, chartDefinitions: object[] = []): Promise<Plan> {
    const resources = objects.map((object, index) => ({
      component: `component-${index}`,
      object,
      ...(chartDefinitions.includes(object) && { isChartDefinition: true }),
    }));
    const settings = { namespace: this.namespace, previous: [...this.recorded], kept: this.kept, ...options };
    return new Planner(this.client, schemaValidator).plan(resources, this.owner, settings);
  }

  /** @param between what happens after the plan, and before it is carried out */
  async deploy(
    objects: KubernetesObject[],
    options: PlanOptions & ApplyOptions = {},
    between: () => Promise<void> = () => Promise.resolve(),
  ): Promise<SceneResult> {
    const plan = await this.plan(objects, options);
    this.kept = plan.unlabelled;
    await between();
    this.recorded.push(
      ...plan.items.map(({ planned }) => ({
        apiVersion: planned.api_version,
        kind: planned.kind,
        namespace: planned.namespace ?? undefined,
        name: planned.name,
      })),
    );
    return this.apply(plan, options);
  }

  /** Carries out a plan, and undoes it when it fails as a whole. */
  async apply(
    plan: Plan,
    options: ApplyOptions & { undoTimeoutMs?: number } = {},
    journal = new MemoryJournal(),
  ): Promise<SceneResult> {
    const result = await new Applier(this.client, journal).apply(plan, options);
    if (result.status === 'succeeded' || options.atomic === false || journal.changes.length === 0) return result;
    return this.undo(result, journal, options.undoTimeoutMs);
  }

  async undo(result: DeploymentResult, journal: ChangeJournal, timeoutMs = 60_000): Promise<SceneResult> {
    const undone = await new Undo(this.client, this.owner, new RunClock(timeoutMs)).undoAll(journal.changes);
    const missing = (change: AppliedChange) => ({ component: null, ...toResourceState(change, 'applied') });
    const resources = applyUndo(result.resources, undone, missing);
    const isClean = resources.every(({ error }) => error?.reason !== 'NOT_TAKEN_BACK');
    return { ...result, status: isClean && result.status === 'failed' ? 'rolled_back' : result.status, resources };
  }

  undeploy(options: UndeployOptions = {}, journal = new MemoryJournal()): Promise<DeploymentResult> {
    return new Undeployer(this.client, journal).undeploy(this.owner, {
      previous: this.recorded,
      kept: this.kept,
      onFound: (unlabelled) => {
        this.kept = unlabelled;
        return Promise.resolve();
      },
      timeoutMs: 20_000,
      ...options,
    });
  }

  /** Another user applies an object, with force. The kind of a new definition is discovered a moment after it. */
  async others(object: KubernetesObject, fieldManager = 'another-manager'): Promise<KubernetesObject> {
    const find = (staleMs?: number) => this.client.findKind(object.apiVersion, object.kind, staleMs);
    let kind = await find();
    if (!kind) await until(async () => (kind = await find(0)) !== undefined);
    if (!kind) throw new Error(`no such kind: ${object.kind}`);
    const metadata = kind.namespaced ? { namespace: this.namespace, ...object.metadata } : object.metadata;
    return (await this.client.apply(kind, { ...object, metadata }, { fieldManager, force: true })).object;
  }

  /** Another user sets a quota. It holds once the API server has been told of it and of what is used: when it refuses this object. */
  async setQuota(hard: Record<string, string>, refused: KubernetesObject): Promise<void> {
    await this.others({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'quota' }, spec: { hard } });
    await until(async () => (await this.plan([refused])).items[0]?.planned.error?.reason === 'QUOTA_EXCEEDED');
  }

  async live(
    apiVersion: string,
    kind: string,
    name: string,
    namespace = this.namespace,
  ): Promise<KubernetesObject | undefined> {
    const found = await this.client.findKind(apiVersion, kind, 0);
    return found && this.client.lookup(found, name, found.namespaced ? namespace : undefined);
  }
}

/** Outcomes as `Kind/name: status`, for short expectations. */
export function outcomes({ resources }: Pick<DeploymentResult, 'resources'>): string[] {
  return resources.map(
    ({ kind, name, status, error }) => `${kind}/${name}: ${status}${error ? ` ${error.reason}` : ''}`,
  );
}

export function configMap(
  name: string,
  data: Record<string, unknown> = { a: '1' },
  metadata: object = {},
): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** A workload whose pods run wherever they are put; `fate` is `never-ready` or `crash`. */
export function deployment(name: string, replicas = 1, fate?: string): KubernetesObject {
  const labels = { app: name, ...(fate && { 'test-pods': fate }) };
  const spec = { containers: [{ name: 'app', image: 'app:1' }], tolerations: [{ operator: 'Exists' }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: { metadata: { labels }, spec } },
  };
}

/** The definition of a kind that no other test has, and an object of it. */
export function customKind(suffix = randomUUID().slice(0, 8)) {
  const group = `scene-${suffix}.example.com`;
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: { size: { type: 'integer' }, colour: { type: 'string', enum: ['red', 'blue'] } },
      },
    },
  };
  const definition: KubernetesObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  const object = (name: string, spec: object = { size: 1 }): KubernetesObject => ({
    apiVersion: `${group}/v1`,
    kind: 'Gadget',
    metadata: { name },
    spec,
  });
  return { definition, object };
}
