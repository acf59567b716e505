import { isObject, type Json } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { type Findings, invalidValue, quoted } from '../schema/findings.js';
import type { NameRule } from '../values/name-rules.js';

/** A field of a resource, with methods that check it and report errors at its pointer. */
export class ResourceField {
  constructor(
    readonly value: Json | undefined,
    readonly pointer: string,
    private readonly findings: Findings,
  ) {}

  /** The field at a path below this one; its value is undefined when it is absent. */
  at(...names: string[]): ResourceField {
    let value = this.value;
    for (const name of names) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return new ResourceField(value, this.pointer + toPointer(...names), this.findings);
  }

  /** A copy of this field with another value at a path below it. */
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

  /** A copy of this field without one of its members. */
  without(name: string): ResourceField {
    const own = Object.entries(isObject(this.value) ? this.value : {}).filter(([key]) => key !== name);
    return new ResourceField(Object.fromEntries(own), this.pointer, this.findings);
  }

  /** The items of a list; empty for other values. */
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

  /** The value as messages show it. */
  get shown(): string {
    return this.text || quoted(this.value);
  }

  get number(): number | undefined {
    return typeof this.value === 'number' ? this.value : undefined;
  }

  /** Whether the value is set in the sense of Go: an empty text or list counts as unset. */
  get isGiven(): boolean {
    const { value } = this;
    if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
    return !(Array.isArray(value) && value.length === 0);
  }

  /** Whether the value is an object, empty ones included. */
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

  /** Reports an error when the field is unset. @returns whether it is set */
  required(why = ''): boolean {
    if (!this.isGiven) this.error(why ? `Required value: ${why}` : 'Required value');
    return this.isGiven;
  }

  /** Reports an error unless the value is one of these; absent is valid unless `mustBeGiven`, because it has a default. */
  oneOf(values: readonly string[], mustBeGiven = false): void {
    if (this.text === '' ? !mustBeGiven : values.includes(this.text)) return;
    if (this.text === '') this.required();
    else this.error(`Unsupported value: ${quoted(this.value)}: supported values: ${values.map(quoted).join(', ')}`);
  }

  /** Checks a name against its rule, when it is set. */
  named(rule: NameRule): void {
    const why = this.text === '' ? undefined : rule(this.text);
    if (why) this.invalid(why);
  }

  requiredName(rule: NameRule): void {
    if (this.required()) this.named(rule);
  }

  /** Checks the bounds of a number, when it is set. */
  within(least: number, most = Infinity): void {
    const { number } = this;
    if (number === undefined || (number >= least && number <= most)) return;
    if (most === Infinity) this.invalid(`must be greater than or equal to ${least}`);
    else this.invalid(`must be between ${least} and ${most}, inclusive`);
  }

  /** Reports a duplicate for each field whose key an earlier one has. */
  static unique(places: ResourceField[], keyOf = (place: ResourceField): string => place.text): void {
    const seen = new Set<string>();
    for (const place of places) {
      const key = keyOf(place);
      if (key !== '' && seen.has(key)) place.duplicate();
      seen.add(key);
    }
  }
}

/** Checks a field of a resource and reports its errors. */
export type FieldRule = (place: ResourceField) => void;
