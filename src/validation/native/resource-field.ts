import { isObject, type Json } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { type Findings, invalidValue, quoted } from '../schema/findings.js';
import type { NameRule } from '../values/name-rules.js';

/** A place of a resource that the rules of its type look at, and what they have to say of it. */
export class ResourceField {
  constructor(
    readonly value: Json | undefined,
    readonly pointer: string,
    private readonly findings: Findings,
  ) {}

  /** The place of a member; one that is not there has no value. */
  at(...names: string[]): ResourceField {
    let value = this.value;
    for (const name of names) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return new ResourceField(value, this.pointer + toPointer(...names), this.findings);
  }

  /** The same place, with another value at a place within it. */
  with(names: string[], value: Json): ResourceField {
    const [name, ...inner] = names;
    if (name === undefined) return new ResourceField(value, this.pointer, this.findings);
    const own = isObject(this.value) ? this.value : {};
    return new ResourceField(
      { ...own, [name]: this.at(name).with(inner, value).value ?? null },
      this.pointer,
      this.findings,
    );
  }

  /** The same place, without one of its members. */
  without(name: string): ResourceField {
    const own = Object.entries(isObject(this.value) ? this.value : {}).filter(([key]) => key !== name);
    return new ResourceField(Object.fromEntries(own), this.pointer, this.findings);
  }

  /** The items of a list; none when it is no list. */
  get items(): ResourceField[] {
    const list = Array.isArray(this.value) ? this.value : [];
    return list.map((item, index) => new ResourceField(item, this.pointer + toPointer(index), this.findings));
  }

  get entries(): [name: string, member: ResourceField][] {
    return isObject(this.value) ? Object.keys(this.value).map((name) => [name, this.at(name)]) : [];
  }

  get text(): string {
    return typeof this.value === 'string' ? this.value : '';
  }

  /** The value as a message shows it. */
  get shown(): string {
    return this.text || quoted(this.value);
  }

  get number(): number | undefined {
    return typeof this.value === 'number' ? this.value : undefined;
  }

  /** As Go sees it: the zero value of a text or a list is the same as none. */
  get isGiven(): boolean {
    const { value } = this;
    if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
    return !(Array.isArray(value) && value.length === 0);
  }

  /** Whether there is an object, be it empty. */
  get isObject(): boolean {
    return isObject(this.value);
  }

  has(...names: string[]): boolean {
    return this.at(...names).isGiven;
  }

  error(detail: string): void {
    this.findings.error(this.pointer, 'kubernetes', detail);
  }

  invalid(why: string): void {
    this.error(invalidValue(this.value ?? null, why));
  }

  forbidden(why: string): void {
    this.error(`Forbidden: ${why}`);
  }

  duplicate(): void {
    this.error(`Duplicate value: ${quoted(this.value)}`);
  }

  /** @returns whether it is there */
  required(why = ''): boolean {
    if (!this.isGiven) this.error(why ? `Required value: ${why}` : 'Required value');
    return this.isGiven;
  }

  /** One of these texts; none at all is right where a default stands for it. */
  oneOf(values: readonly string[], mustBeGiven = false): void {
    if (this.text === '' ? !mustBeGiven : values.includes(this.text)) return;
    if (this.text === '') this.required();
    else this.error(`Unsupported value: ${quoted(this.value)}: supported values: ${values.map(quoted).join(', ')}`);
  }

  /** A text that a rule for names is for, when it is there. */
  named(rule: NameRule): void {
    const why = this.text === '' ? undefined : rule(this.text);
    if (why) this.invalid(why);
  }

  requiredName(rule: NameRule): void {
    if (this.required()) this.named(rule);
  }

  /** A number within bounds, when it is there. */
  within(least: number, most = Infinity): void {
    const { number } = this;
    if (number === undefined || (number >= least && number <= most)) return;
    if (most === Infinity) this.invalid(`must be greater than or equal to ${least}`);
    else this.invalid(`must be between ${least} and ${most}, inclusive`);
  }

  /** Each but the first of what has the same key is a duplicate. */
  static unique(places: ResourceField[], keyOf = (place: ResourceField): string => place.text): void {
    const seen = new Set<string>();
    for (const place of places) {
      const key = keyOf(place);
      if (key !== '' && seen.has(key)) place.duplicate();
      seen.add(key);
    }
  }
}

/** A rule about a part of a resource. */
export type FieldRule = (place: ResourceField) => void;
