import { isDeepStrictEqual } from 'node:util';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { omitFields, releaseFields, uniteFieldSets } from '../../kubernetes/clusters/field-set.js';
import { type KubernetesObject, type ManagedFields } from '../../kubernetes/clusters/kubernetes-object.js';
import { findRefusedMappings, type RefusedMapping, replaceMappings, siblingFields } from './defaulted-siblings.js';
import {
  changeOwnership,
  fieldsOfOthers,
  fieldsToTake,
  findToolEntries,
  isDeclarative,
  withoutShared,
} from './field-ownership.js';
import { findLeftovers } from './leftover-fields.js';
import { FIELD_MANAGER, findAppliedFields } from './owner.js';

export interface TrialOptions {
  /** Takes over the fields that tools such as kubectl and Helm own. */
  adopt?: boolean;
  force?: boolean;
  signal?: AbortSignal;
}

/** What applying an object will do. */
export interface TrialResult {
  /** The object as the cluster would store it. */
  object: KubernetesObject;
  warnings: string[];
  /** Whether the object does not exist yet. */
  isCreated?: boolean;
  /** Managed fields to store before the object is applied, so that the apply removes fields that this server did not own. */
  ownership?: ManagedFields[];
  /** Whether fields of tools are taken over. */
  takes?: boolean;
}

/**
 * Tries an apply on the cluster without storing anything. Where an apply alone would be refused or would leave fields behind, the
 * result says of which fields this server has to become the owner first.
 */
export class ApplyTrial {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly kind: ResourceKind,
    private readonly options: TrialOptions,
  ) {}

  /** @throws ClusterError when the cluster refuses it */
  async run(desired: KubernetesObject, live?: KubernetesObject): Promise<TrialResult> {
    const { force = false } = this.options;
    const taken = live && this.options.adopt ? findToolEntries(live) : [];
    let isForced = force;
    let mappings: RefusedMapping[] = [];
    for (;;)
      try {
        const wanted = replaceMappings(desired, mappings, ({ live: members }) => members);
        const tried = await this.apply(wanted, isForced);
        return live ? await this.complete(desired, live, tried, { taken, mappings }) : tried;
      } catch (error) {
        if (!live || !(error instanceof ClusterError)) throw error;
        const isOfTaken = !isForced && isConflictOnlyWith(error, taken);
        const refused = mappings.length > 0 ? [] : findRefusedMappings(live, desired, error.causes);
        if (!isOfTaken && refused.length === 0) throw error;
        if (isOfTaken) isForced = true;
        else mappings = refused;
      }
  }

  /** Completes the outcome of an apply by what it does once this server owns more fields. */
  private async complete(
    desired: KubernetesObject,
    live: KubernetesObject,
    tried: TrialResult,
    { taken, mappings }: { taken: ManagedFields[]; mappings: RefusedMapping[] },
  ): Promise<TrialResult> {
    const { force = false } = this.options;
    const siblings = siblingFields(mappings);
    const leftovers = findLeftovers(live, tried.object, desired);
    const fields = uniteFieldSets([siblings, leftovers]);
    const ours = omitFields(findAppliedFields(tried.object)?.fieldsV1 ?? {}, siblings);
    const whole = taken.filter(isDeclarative);
    const takes = whole.length > 0 || taken.some((entry) => withoutShared(entry, ours) !== undefined);
    if (!takes && Object.keys(fields).length === 0) return tried;
    const others = fieldsOfOthers(tried.object, whole);
    const held = uniteFieldSets([ours, force ? omitFields(others, fields) : others]);
    const released = uniteFieldSets([fieldsToTake(whole), fields]);
    const left = releaseFields(tried.object, released, held) as KubernetesObject;
    const composed = replaceMappings(left, mappings, ({ desired: members }, now) => ({ ...now, ...members }));
    const ownership = changeOwnership(live, { taken: whole, applied: takes ? ours : {}, fields, force });
    if (isDeepStrictEqual(composed, tried.object)) return { ...tried, ...(takes && { ownership, takes }) };
    const { object } = await this.store(live, composed);
    const { managedFields } = tried.object.metadata;
    const outcome = { ...object, metadata: { ...object.metadata, managedFields } };
    // The cluster sets a default again: nothing is left behind.
    const isDefault = !takes && mappings.length === 0 && isSameButMetadata(object, tried.object);
    return isDefault ? tried : { ...tried, object: outcome, ownership, takes };
  }

  private apply(wanted: KubernetesObject, force: boolean): Promise<TrialResult> {
    const { signal } = this.options;
    return this.cluster.apply(this.kind, wanted, { fieldManager: FIELD_MANAGER, force, dryRun: true, signal });
  }

  /** Lets the cluster judge an object that was put together here. */
  private store(live: KubernetesObject, whole: KubernetesObject): Promise<TrialResult> {
    const { subresources } = this.kind;
    const omitted = ['apiVersion', 'kind', 'metadata', ...(subresources.includes('status') ? ['status'] : [])];
    const names = Object.keys({ ...live, ...whole }).filter((name) => !omitted.includes(name));
    const body = [
      ...replaceMembers([], live, whole, names),
      ...replaceMembers(['metadata'], live.metadata, whole.metadata, ['labels', 'annotations']),
    ];
    const { name, namespace } = live.metadata;
    const options = { fieldManager: FIELD_MANAGER, dryRun: true, signal: this.options.signal };
    return this.cluster.patch(this.kind, name, namespace, { type: 'json', body }, options);
  }
}

function replaceMembers(path: string[], from: object, to: object, names: string[]): object[] {
  const [before, after] = [from as Record<string, unknown>, to as Record<string, unknown>];
  return names.flatMap((name): object[] => {
    const at = `/${[...path, name].join('/')}`;
    if (after[name] !== undefined) return [{ op: 'add', path: at, value: after[name] }];
    return before[name] === undefined ? [] : [{ op: 'remove', path: at }];
  });
}

/** Whether the cluster refuses an apply only because of fields of these managers. */
function isConflictOnlyWith({ causes }: ClusterError, entries: ManagedFields[]): boolean {
  const conflicts = causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  return (
    conflicts.length > 0 &&
    conflicts.every(({ message = '' }) =>
      entries.some(({ manager }) => message.startsWith(`conflict with "${manager}"`)),
    )
  );
}

function isSameButMetadata(one: KubernetesObject, other: KubernetesObject): boolean {
  const rest = ({ metadata: { labels, annotations }, ...fields }: KubernetesObject) => ({
    ...fields,
    labels,
    annotations,
  });
  return isDeepStrictEqual(rest(one), rest(other));
}
