import { isObject } from '../../core/json/json.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { MASKED } from '../../formats/design-file/secret-values.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { HiddenValues } from './hidden-values.js';
import { type PlannedResource, type ResourceError } from './planned-resource.js';
import { findSecretValues } from './redact-secret-values.js';

/**
 * The values of the Secrets of a design and of its deployment, to be hidden wherever else they appear: clusters and webhooks repeat what
 * they are sent, and a chart may have looked them up on the cluster.
 */
export class DesignSecrets {
  private constructor(private readonly values: HiddenValues) {}

  /** @param objects of the design as they are written, applied and live, hooks included; other objects than Secrets give their names */
  static async of(objects: Iterable<object>): Promise<DesignSecrets> {
    const all = [...objects];
    const values = new HiddenValues(new Set(all.flatMap(namesOf)));
    const turns = new TimeSlicer();
    for (const object of all)
      if ('kind' in object && object.kind === 'Secret')
        for (const value of findSecretValues('Secret', [], object)) {
          for (const _ of values.addInSteps(value)) await turns.yieldToEventLoop();
          if (values.hidesAll) return new DesignSecrets(values);
        }
    return new DesignSecrets(values);
  }

  /** About how much memory they take, in bytes. */
  get size(): number {
    return this.values.size;
  }

  get isEmpty(): boolean {
    return this.values.isEmpty;
  }

  /** Hides texts and numbers that contain a value, also inside of objects and lists. */
  hideIn(value: unknown): unknown {
    if (this.isEmpty) return value;
    return replaceScalars(value, (one) => (this.values.isIn(String(one)) ? MASKED : one));
  }

  /**
   * Hides the values in an object of a cluster: below its status and in events they are looked for as in messages, elsewhere as in
   * fields. Names stay, and values and annotations of a Secret, which are shown as sizes.
   */
  hideInObject(object: KubernetesObject): KubernetesObject {
    if (this.isEmpty) return object;
    const { apiVersion, kind, metadata, status, ...fields } = object;
    const hidden = kind === 'Secret' ? fields : kind === 'Event' ? this.hideInTexts(fields) : this.hideIn(fields);
    const { labels, annotations } = metadata;
    return {
      ...{ apiVersion, kind },
      metadata: {
        ...metadata,
        ...(labels && { labels: this.hideIn(labels) as Record<string, string> }),
        ...(annotations &&
          kind !== 'Secret' && { annotations: this.hideIn(this.hideInTexts(annotations)) as Record<string, string> }),
      },
      ...(hidden as object),
      ...(status !== undefined && { status: this.hideInTexts(status) }),
    };
  }

  /** Hides the values in a message. */
  hideInMessage(message: string): string {
    return this.values.hideIn(message);
  }

  private hideInTexts(value: unknown): unknown {
    return replaceScalars(value, (one) => (typeof one === 'string' ? this.hideInMessage(one) : this.hideIn(one)));
  }

  hideInError(error: ResourceError): ResourceError {
    return this.isEmpty ? error : { ...error, detail: this.hideInMessage(error.detail) };
  }

  /** Hides the values in differences, errors and warnings of a plan. */
  async hideInPlan(resources: PlannedResource[]): Promise<void> {
    if (this.isEmpty) return;
    const turns = new TimeSlicer();
    for (const planned of resources) {
      for (const change of planned.diff) {
        change.from = this.hideIn(change.from);
        change.to = this.hideIn(change.to);
        await turns.yieldToEventLoop();
      }
      planned.warnings = planned.warnings.map((warning) => this.hideInMessage(warning));
      if (planned.error) planned.error = this.hideInError(planned.error);
    }
  }
}

/** A value in which each text and number is replaced, also inside of objects and lists. */
function replaceScalars(value: unknown, replace: (one: string | number) => unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return replace(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => replaceScalars(one, replace));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceScalars(one, replace)]));
}

/** The names of an object and its namespace, and their parts, which those of pods and containers are made of. */
function namesOf(object: object): string[] {
  const metadata = 'metadata' in object && isObject(object.metadata) ? object.metadata : {};
  const names = [metadata['name'], metadata['namespace']].filter((name) => typeof name === 'string');
  return names.flatMap((name) => [name, ...name.split(/[-.]/)]);
}
