import { parsePointer } from '../../core/json/json-pointer.js';
import { isObject, type JsonObject, asObject, asText } from '../../core/json/json.js';
import { type AskMainThread, defineTask } from '../../core/workers/task.js';
import { createDesign } from '../../formats/design-file/canonical-design.js';
import { toComponents } from '../../formats/design-file/design-component.js';
import type { DesignComponent } from '../../formats/design-file/design-file.js';
import { enrichDesign } from '../enrichment/enrich-design.js';
import { relationshipKeyOf } from '../../registry/relationships/evaluation/relationship.js';

/** Objects of one namespace that refer to one another. */
export interface ObjectGroup {
  name: string;
  /** Why they belong together. */
  reason: string;
  /** The places of the objects in the input. */
  members: number[];
}

/** Groups the resources of one namespace, given as a JSON list; asks for the registry. The order of the resources changes nothing but the places. */
export const groupTask = defineTask<Uint8Array, ObjectGroup[]>(import.meta.url, { groupInWorker });

/** What a policy allows to others does not make these a part of it. */
const RULES_ONLY = new Set(['firewall-ingress', 'firewall-egress']);
const MAX_REASONS = 3;

/** Task of the worker pool. */
export async function groupInWorker(bytes: Uint8Array, ask: AskMainThread): Promise<ObjectGroup[]> {
  const resources = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as JsonObject[];
  const components = toComponents(resources);
  const { design } = await enrichDesign(createDesign({ name: 'namespace', components }), ask);
  const places = new Map(components.map(({ id }, index) => [id, index]));
  const links = design.relationships.flatMap((one) => toLinks(one, components, places));
  const groups = new Groups(components.length);
  for (const { from, to } of links) groups.join(from, to);
  const texts = new Map<number, Set<string>>();
  for (const { from, text } of links) {
    const root = groups.find(from);
    texts.set(root, (texts.get(root) ?? new Set()).add(text));
  }
  return groups
    .list()
    .map(({ root, members }) => ({
      name: nameGroup(members.map((index) => resources[index] as JsonObject)),
      reason: describeReasons([...(texts.get(root) ?? [])].sort()),
      members,
    }))
    .sort((one, other) => compareText(one.name, other.name));
}

interface Link {
  from: number;
  to: number;
  text: string;
}

/** The pairs of a relationship that make their ends parts of one application. */
function toLinks(
  relationship: JsonObject,
  components: readonly DesignComponent[],
  indexes: ReadonlyMap<string, number>,
): Link[] {
  const { type, subType, from, to } = relationshipKeyOf(relationship);
  if (type === 'sibling' || RULES_ONLY.has(subType)) return [];
  const reason = asObject(asObject(relationship['metadata'])['reason']);
  const places = Array.isArray(reason['places']) ? reason['places'].filter(isObject) : [];
  const indexOf = (id: string): number => indexes.get(id) ?? -1;
  return from.map(indexOf).flatMap((one) => {
    const holder = components[one];
    // A selector that is empty selects whatever is there, which says nothing of what belongs together.
    if (!holder || places.some((place) => isEmptySelector(holder, asText(place['from'])))) return [];
    return to
      .map(indexOf)
      .flatMap((other) => (other < 0 ? [] : { from: one, to: other, text: asText(reason['text']) }));
  });
}

function isEmptySelector(holder: DesignComponent, pointer: string): boolean {
  const value = parsePointer(pointer).reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    holder,
  );
  return isObject(value) && Object.values(value).every((inner) => isObject(inner) && Object.keys(inner).length === 0);
}

/** Sets of places that are joined step by step. */
class Groups {
  private readonly parents: number[];

  constructor(size: number) {
    this.parents = Array.from({ length: size }, (_, index) => index);
  }

  find(index: number): number {
    let root = index;
    while (this.parents[root] !== root) root = this.parents[root] ?? root;
    this.parents[index] = root;
    return root;
  }

  join(one: number, other: number): void {
    const [low, high] = [this.find(one), this.find(other)].sort((a, b) => a - b) as [number, number];
    this.parents[high] = low;
  }

  list(): { root: number; members: number[] }[] {
    const members = new Map<number, number[]>();
    for (const index of this.parents.keys()) {
      const root = this.find(index);
      const known = members.get(root);
      if (known) known.push(index);
      else members.set(root, [index]);
    }
    return [...members].map(([root, all]) => ({ root, members: all }));
  }
}

const NAME_LABELS = ['app.kubernetes.io/part-of', 'app.kubernetes.io/instance', 'app.kubernetes.io/name', 'app'];
/** What an application is known by, the best first. */
const LEADING_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Pod', 'Service', 'Ingress'];

/** The name that a label gives all of them that have it, else that of their leading object. */
function nameGroup(resources: readonly JsonObject[]): string {
  for (const label of NAME_LABELS) {
    const values = new Set(resources.flatMap((resource) => asText(labelsOf(resource)[label]) || []));
    if (values.size === 1) return [...values].join();
  }
  const rank = ({ kind }: JsonObject): number => {
    const at = LEADING_KINDS.indexOf(asText(kind));
    return at < 0 ? LEADING_KINDS.length : at;
  };
  const [first] = [...resources].sort(
    (one, other) => rank(one) - rank(other) || compareText(nameOf(one), nameOf(other)),
  );
  return first ? nameOf(first) : '';
}

const nameOf = ({ metadata }: JsonObject): string => asText(asObject(metadata)['name']);
const labelsOf = ({ metadata }: JsonObject): JsonObject => asObject(asObject(metadata)['labels']);
const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function describeReasons(texts: readonly string[]): string {
  if (texts.length === 0) return 'Nothing else in the namespace belongs to it.';
  const more = texts.length - MAX_REASONS;
  return [...texts.slice(0, MAX_REASONS), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
