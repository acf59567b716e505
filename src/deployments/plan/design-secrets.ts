import { TimeSlicer } from '../../core/time-slicer.js';
import { MASKED } from '../../formats/design-file/secret-values.js';
import { type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { type PlannedResource } from './planned-resource.js';
import { findSecretValues, ORDINARY } from './redact-secret-values.js';

/** Shorter values are common words, and no secrets. */
const MIN_LENGTH = 6;
/** What is compared of a value; a text with that much of a secret is hidden as well. */
const MAX_COMPARED = 128;
/** The maximum number of places that are compared in a text; it is hidden when more may be the beginning of a value. */
const MAX_TRIED = 20_000;
/** The maximum number of values with one beginning that are told apart; of more, the beginning is hidden. */
const MAX_ALIKE = 16;

interface Secret {
  compared: string;
  /** Absent for the beginning of many. */
  whole?: string;
}

/**
 * The values of the Secrets of a design, to be hidden wherever else they appear: a chart may have looked them up on the cluster. A text
 * is searched once for all of them.
 */
export class DesignSecrets {
  private readonly byBeginning = new Map<string, Secret[]>();
  private readonly beginnings = new Uint8Array(1 << 16);

  /** @param objects desired and live objects of the design */
  constructor(objects: Iterable<ObjectMetadata>) {
    for (const object of objects)
      if (object.kind === 'Secret') for (const value of findSecretValues('Secret', [], object)) this.add(value);
  }

  /** Hides texts that contain a value, also inside of objects and lists. */
  hideIn(value: unknown): unknown {
    if (this.byBeginning.size === 0) return value;
    if (typeof value === 'string') return this.findNext(value, 0) ? MASKED : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.hideIn(item));
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.hideIn(one)]));
  }

  /** Hides the values in a message, except those that are plain words. */
  hideInMessage(message: string): string {
    if (this.byBeginning.size === 0) return message;
    let shown = '';
    let at = 0;
    for (let next = this.findNext(message, 0); next; next = this.findNext(message, next.end)) {
      if (next.whole !== undefined && ORDINARY.test(next.whole)) continue;
      shown += message.slice(at, next.start) + MASKED;
      at = next.end;
    }
    return shown + message.slice(at);
  }

  /** Hides the values in differences, errors and warnings of a plan. */
  async hideInPlan(resources: PlannedResource[]): Promise<void> {
    if (this.byBeginning.size === 0) return;
    const turns = new TimeSlicer();
    for (const planned of resources) {
      for (const change of planned.diff) {
        change.from = this.hideIn(change.from);
        change.to = this.hideIn(change.to);
        await turns.yieldToEventLoop();
      }
      planned.warnings = planned.warnings.map((warning) => this.hideInMessage(warning));
      if (planned.error) planned.error = { ...planned.error, detail: this.hideInMessage(planned.error.detail) };
    }
  }

  private add(value: string): void {
    if (value.length < MIN_LENGTH) return;
    const beginning = value.slice(0, MIN_LENGTH);
    const alike = this.byBeginning.get(beginning) ?? [];
    if (alike.some(({ compared, whole }) => whole === value || compared === beginning)) return;
    const isOneOfMany = alike.length >= MAX_ALIKE;
    const added = { compared: value.slice(0, MAX_COMPARED), whole: value };
    this.byBeginning.set(beginning, isOneOfMany ? [{ compared: beginning }] : [...alike, added]);
    this.beginnings[hashAt(value, 0)] = 1;
  }

  /** The first place from a position on where the text has a value, or what is compared of one. */
  private findNext(text: string, from: number): { start: number; end: number; whole?: string } | undefined {
    let tried = 0;
    for (let start = from; start <= text.length - MIN_LENGTH; start++) {
      if (this.beginnings[hashAt(text, start)] === 0) continue;
      if (++tried > MAX_TRIED) return { start, end: text.length };
      for (const { compared, whole } of this.byBeginning.get(text.slice(start, start + MIN_LENGTH)) ?? [])
        if (text.startsWith(compared, start)) {
          const isWhole = whole !== undefined && text.startsWith(whole, start);
          return isWhole ? { start, end: start + whole.length, whole } : { start, end: text.length };
        }
    }
    return undefined;
  }
}

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + MIN_LENGTH; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) & 0xffff;
  return hash;
}
