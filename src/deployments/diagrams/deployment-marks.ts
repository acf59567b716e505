import type { DiagramMark, DiagramMarks } from '../../designs/diagram/diagram.js';
import { groupOf } from '../../kubernetes/clusters/kubernetes-object.js';
import type { HealthStatus } from '../../kubernetes/resources/health/health-status.js';
import type { DesiredResource, ResourceAction } from '../plan/planned-resource.js';

/** The state of one object of a deployment. */
export interface ResourceState {
  api_version: string;
  kind: string;
  namespace: string | null;
  name: string;
  action?: ResourceAction;
  /** Why it failed. */
  failure?: string;
  health?: HealthStatus;
  message?: string | null;
}

/** From the least to the most important; of several clusters, the most important is shown. */
const COLOURS = ['network', 'other', 'workload', 'definition'] as const satisfies DiagramMark['colour'][];

const BY_HEALTH: Readonly<Record<HealthStatus, (typeof COLOURS)[number]>> = {
  Healthy: 'network',
  Suspended: 'other',
  Unknown: 'other',
  Progressing: 'workload',
  Degraded: 'definition',
  Missing: 'definition',
};

export const colourOfHealth = (health: HealthStatus): DiagramMark['colour'] => BY_HEALTH[health];

const BY_ACTION: Readonly<Record<ResourceAction, (typeof COLOURS)[number]>> = {
  create: 'network',
  unchanged: 'other',
  update: 'workload',
  prune: 'definition',
  delete: 'definition',
};

/** The marks of the components of a design: the health of their resources, or what the deployment does with them. */
export function toDiagramMarks(resources: readonly DesiredResource[], states: readonly ResourceState[]): DiagramMarks {
  const byObject = new Map<string, ResourceState[]>();
  for (const state of states) {
    const key = keyOf(state.api_version, state.kind, state.name);
    byObject.set(key, [...(byObject.get(key) ?? []), state]);
  }
  const marks: [string, DiagramMark][] = [];
  for (const { component, object } of resources) {
    const { apiVersion, kind, metadata } = object as { apiVersion?: unknown; kind?: unknown; metadata?: unknown };
    const { name, namespace } = (metadata ?? {}) as { name?: unknown; namespace?: unknown };
    const found = byObject.get(keyOf(textOf(apiVersion), textOf(kind), textOf(name))) ?? [];
    const own = found.filter((state) => typeof namespace !== 'string' || state.namespace === namespace);
    const [worst] = (own.length > 0 ? own : found.filter((state) => state.namespace === null))
      .map(toMark)
      .sort((one, other) => rankOf(other) - rankOf(one));
    if (worst) marks.push([component, worst]);
  }
  return Object.fromEntries(marks);
}

function toMark({ action, failure, health, message }: ResourceState): DiagramMark {
  if (failure !== undefined) return { text: 'failed', title: failure, colour: 'definition' };
  if (health) return { text: health, title: message ?? health, colour: BY_HEALTH[health] };
  const text = action ?? 'unchanged';
  return { text, title: text, colour: BY_ACTION[text] };
}

const rankOf = ({ colour }: DiagramMark): number => COLOURS.indexOf(colour as (typeof COLOURS)[number]);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const keyOf = (apiVersion: string, kind: string, name: string): string => [groupOf(apiVersion), kind, name].join('|');
