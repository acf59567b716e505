import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { findOtherEntries } from '../../kubernetes/clusters/field-managers.js';
import {
  below,
  findItemMembers,
  findKeyNames,
  type FieldSet,
  isFieldSet,
  toFieldSet,
  toItemKey,
} from '../../kubernetes/clusters/field-set.js';
import { type KubernetesObject, type ManagedFields } from '../../kubernetes/clusters/kubernetes-object.js';
import { findAppliedFields } from './owner.js';

/** Fields of the live object that another manager owns. */
export interface HeldFields {
  /** Where they are in the object. */
  path: string[];
  /** Where they are in a field set. */
  members: string[];
}

/** An item that another manager has put in the place of an item of the design, so that the object cannot have both. */
export interface CollidingItem extends HeldFields {
  manager: string;
  live: Json;
  /** The item of the design; absent when the item itself has left the design. */
  desired?: Json;
}

/** A field of the design that the live object does not have. */
export interface DesiredChange {
  path: string[];
  desired: unknown;
  live: unknown;
}

/** The maximum number of missing items in whose place a foreign one may stand; real lists lack a few. */
const MAX_MISSING = 50;

/** Ports of which an object can have each number once. */
const NODE_PORTS = ['nodePort', 'hostPort'];

/**
 * Compares an object of a design with the live object without asking the API server. Lists with keys are compared item by item: the
 * keys stand in the managed fields.
 */
export class DesiredFields {
  readonly collisions: CollidingItem[] = [];
  readonly changes: DesiredChange[] = [];
  private readonly others: ManagedFields[];

  constructor(desired: KubernetesObject, live: KubernetesObject) {
    this.others = findOtherEntries(live);
    const ours = findAppliedFields(live)?.fieldsV1;
    const sets = {
      ours: ours ? [ours] : [],
      others: this.others.flatMap(({ fieldsV1 }) => (fieldsV1 ? [fieldsV1] : [])),
    };
    const { apiVersion: _, kind: __, ...fields } = desired;
    this.compare(fields as JsonObject, live as unknown as Json, { path: [], members: [], ...sets });
  }

  private compare(desired: Json, live: Json | undefined, at: Place): void {
    if (isDeepStrictEqual(desired, live) || (live === undefined && isEmpty(desired))) return;
    if (isObject(desired) && isObject(live))
      for (const [name, value] of Object.entries(desired))
        this.compare(value, Object.hasOwn(live, name) ? live[name] : undefined, step(at, name, `f:${name}`));
    else if (Array.isArray(desired) && Array.isArray(live)) this.compareLists(desired, live, at);
    else if (desired !== null) this.changes.push({ path: at.path, desired, live });
  }

  private compareLists(desired: Json[], live: Json[], at: Place): void {
    const sets = [...at.ours, ...at.others];
    const members = findItemMembers(sets, live);
    const names = findKeyNames(sets);
    const isSet = [...members.values()].some((member) => member.startsWith('v:'));
    const values = new Set(isSet ? live.map((item) => JSON.stringify(item)) : []);
    if (isSet && desired.every((item) => values.has(JSON.stringify(item)))) return;
    if (!names) {
      if (isSet || desired.length !== live.length) this.changes.push({ path: at.path, desired, live });
      else
        for (const [index, item] of desired.entries())
          this.compare(item, live[index], step(at, `${index}`, `i:${index}`));
      return;
    }
    const places = new Map(live.map((item, index) => [toItemKey(names, item), index]));
    const wanted = new Set(desired.map((item) => toItemKey(names, item)));
    const missing: MissingItem[] = [];
    for (const [index, item] of desired.entries()) {
      const found = places.get(toItemKey(names, item));
      if (found === undefined) missing.push({ item, index });
      else this.compare(item, live[found], step(at, `${found}`, members.get(found) ?? `i:${found}`));
    }
    for (const [index, item] of live.entries()) {
      const member = members.get(index);
      const isForeign = member !== undefined && below(at.others, member).length > 0;
      if (isForeign && !wanted.has(toItemKey(names, item)))
        this.compareForeign(item, step(at, `${index}`, member), missing, names);
    }
    for (const { item, index } of missing)
      this.changes.push({ path: [...at.path, `${index}`], desired: item, live: undefined });
  }

  /** @param missing the items of the design that the live list lacks; the one in whose place the item stands is removed */
  private compareForeign(item: Json, at: Place, missing: MissingItem[], names: readonly string[]): void {
    const { path, members, ours } = at;
    const found = missing.slice(0, MAX_MISSING).findIndex((one) => standsInPlaceOf(item, one.item, names, path.at(-2)));
    if (found < 0 && ours.length === 0) return;
    const [replaced] = found < 0 ? [] : missing.splice(found, 1);
    const manager = this.findManager(members);
    this.collisions.push({ path, members, manager, live: item, ...(replaced && { desired: replaced.item }) });
    if (replaced) this.compareItems(replaced.item, item, path);
    else this.changes.push({ path, desired: undefined, live: item });
  }

  /** The differing fields of an item and of the one that stands in its place. */
  private compareItems(desired: Json, live: Json, path: string[]): void {
    if (!isObject(desired) || !isObject(live)) this.changes.push({ path, desired, live });
    else
      for (const [name, value] of Object.entries(desired))
        if (!covers(live[name] ?? null, value))
          this.changes.push({ path: [...path, name], desired: value, live: live[name] });
  }

  private findManager(members: readonly string[]): string {
    const holder = this.others.find(({ fieldsV1 }) => {
      let set: unknown = fieldsV1;
      for (const member of members) set = isFieldSet(set) ? set[member] : undefined;
      return isFieldSet(set);
    });
    return holder?.manager ?? '';
  }
}

/** These fields as a field set. */
export const heldFieldSet = (fields: readonly HeldFields[]): FieldSet =>
  toFieldSet(fields.map(({ members }) => members));

interface MissingItem {
  item: Json;
  /** Its index in the design. */
  index: number;
}

/** Whether an API server leaves the value out of what it stores. */
const isEmpty = (value: Json): boolean => !value || (typeof value === 'object' && Object.keys(value).length === 0);

/** A place in the object and in the field sets of its managers. */
interface Place extends HeldFields {
  ours: FieldSet[];
  others: FieldSet[];
}

const step = ({ path, members, ours, others }: Place, name: string, member: string): Place => ({
  path: [...path, name],
  members: [...members, member],
  ours: below(ours, member),
  others: below(others, member),
});

/**
 * Whether an item of others stands in the place of an item of the design, which the live list lacks: its key was changed, or it has
 * a name or port that only one item may have.
 * @param list the name of the list
 */
function standsInPlaceOf(item: Json, wanted: Json, names: readonly string[], list: string | undefined): boolean {
  if (!isObject(item) || !isObject(wanted)) return false;
  const isSame = (name: string) => wanted[name] !== undefined && isDeepStrictEqual(item[name], wanted[name]);
  const isPort = names.some((name) => name === 'port' || name === 'containerPort');
  if (isPort && (isSame('name') || NODE_PORTS.some(isSame))) return true;
  if (wanted['image'] !== undefined) return isSame('image') || sharesPort(item, wanted);
  const rest = Object.fromEntries(Object.entries(wanted).filter(([name]) => !names.includes(name)));
  // Variables often have equal values by chance.
  if (list === 'env' || (Object.keys(rest).length === 0 && !isPort)) return false;
  return covers(item, rest);
}

/** Whether two containers listen on a common port. */
function sharesPort(one: JsonObject, other: JsonObject): boolean {
  const ports = ({ ports: list }: JsonObject) =>
    (Array.isArray(list) ? list : []).map((port) => toItemKey(['containerPort', 'protocol'], port));
  const known = new Set(ports(one));
  return ports(other).some((port) => known.has(port));
}

/** Whether a live value has all that a desired value has. */
function covers(live: Json, desired: Json): boolean {
  if (isObject(desired) && isObject(live))
    return Object.entries(desired).every(([name, value]) => value === null || covers(live[name] ?? null, value));
  if (Array.isArray(desired) && Array.isArray(live))
    return desired.length === live.length && desired.every((item, index) => covers(live[index] ?? null, item));
  return isDeepStrictEqual(live, desired);
}
