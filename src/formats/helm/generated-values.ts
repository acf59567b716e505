import { createHash } from 'node:crypto';
import { isObject, type Json } from '../../core/json/json.js';
import { AGAIN } from './template-instruments.js';

/** A value that a chart generated, and the call that did. */
export interface GeneratedValue {
  site: string;
  /** Identifies the value: it differs when the call, its arguments, the calls that led to it, or the items of its loops do. */
  key: string;
}

/** The maximum number of values of one rendering, and their maximum size as JSON; charts have some ten keys and certificates. */
const MAX_VALUES = 1_000;
const MAX_VALUE_LENGTH = 64 * 1024;
const MAX_LENGTH = 1024 * 1024;
/** Helm includes nothing deeper. */
const MAX_OPEN_FILES = 1_000;
/** The members that name an object of a list. */
const NAMING_MEMBERS = ['name', 'key', 'id'];

/** The values that a chart generates during one rendering: those that are kept for its release, else new ones. */
export class GeneratedValues {
  readonly used: GeneratedValue[] = [];
  private length = 0;
  private readonly counted = new Set<string>();
  private readonly occurrences = new Map<string, number>();
  /** The occurrences of each identity in the first rendering of each file that generates something. */
  private readonly files = new Map<string, Map<string, number[]>>();
  /** The files that are being rendered, each included by the one before, and how often an identity has occurred there by now. */
  private readonly open: { file: string; first: Map<string, number[]>; counts: Map<string, number> }[] = [];
  private readonly last = new Map<string, Json>();
  /** The call that led to each template that is being rendered. */
  private readonly callers = new Map<string, string>();

  /** @param values those that are kept, by key; new ones are added */
  constructor(private readonly values: Map<string, Json>) {}

  /**
   * The value of a call.
   * @param place the call and the template around it
   * @param payload the candidate, the arguments, and the items of each loop around the call; `again` for the previous value of the call
   * @returns undefined for what no template of a chart sends
   */
  resolve(place: string, payload: string): Json | undefined {
    const [site = '', template = ''] = place.split('.');
    if (payload === AGAIN) return this.last.get(site);
    const sent = decode(payload);
    if (!Array.isArray(sent) || this.used.length >= MAX_VALUES) return undefined;
    const [candidate = null, given = [], ...loops] = sent;
    const identity = hash([site, this.callers.get(template) ?? '', given, loops.map(nameOf)]);
    const key = hash([identity, this.nextOccurrence(identity)]);
    const value = this.values.get(key) ?? candidate;
    const { length } = JSON.stringify(value);
    const added = this.counted.has(key) ? 0 : length;
    if (length > MAX_VALUE_LENGTH || this.length + added > MAX_LENGTH) return undefined;
    this.length += added;
    this.counted.add(key);
    this.values.set(key, value);
    this.used.push({ site, key });
    this.last.set(site, value);
    return value;
  }

  /** The next values of a template are those of this call. */
  enter(place: string, payload: string): void {
    const [site = '', target = '', template = ''] = place.split('.');
    const loops = decode(payload);
    const names = Array.isArray(loops) ? loops.map(nameOf) : [];
    this.callers.set(target, hash([site, this.callers.get(template) ?? '', names]));
  }

  /** A file that is rendered again, because others include it for its checksum, generates what it generated the first time. */
  beginFile(file: string): void {
    const first = this.files.get(file) ?? new Map<string, number[]>();
    this.files.set(file, first);
    if (this.open.length < MAX_OPEN_FILES) this.open.push({ file, first, counts: new Map() });
  }

  endFile(file: string): void {
    const at = this.open.findLastIndex((each) => each.file === file);
    if (at >= 0) this.open.length = at;
  }

  private nextOccurrence(identity: string): number {
    const current = this.open.at(-1);
    const nth = current?.counts.get(identity) ?? 0;
    const known = current?.first.get(identity) ?? [];
    const occurrence = known[nth] ?? this.occurrences.get(identity) ?? 0;
    if (known[nth] === undefined) {
      this.occurrences.set(identity, occurrence + 1);
      current?.first.set(identity, [...known, occurrence]);
    }
    current?.counts.set(identity, nth + 1);
    return occurrence;
  }
}

/** What identifies the current item of a loop, so that others may be added before it: its key in a map, its name, or all of it. */
function nameOf(loop: Json): Json {
  const [first = null, second] = Array.isArray(loop) ? loop : [loop];
  if (second === undefined || typeof first === 'string') return nameOfItem(first);
  return nameOfItem(second);
}

function nameOfItem(item: Json): Json {
  if (!isObject(item)) return item;
  const member = NAMING_MEMBERS.find((name) => typeof item[name] === 'string' || typeof item[name] === 'number');
  return member === undefined ? item : [member, item[member] ?? null];
}

function decode(payload: string): Json | undefined {
  try {
    return JSON.parse(Buffer.from(payload.replaceAll('_', '/'), 'base64').toString()) as Json;
  } catch {
    return undefined;
  }
}

const hash = (of: Json): string => createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32);
