/** An evaluation error. `||`, `&&`, `all` and `exists` ignore it when another operand determines the result. */
export class CelError extends Error {
  /** @param reason the message without values of the resource, for readers who may not see these */
  constructor(
    message: string,
    readonly reason = message,
  ) {
    super(message);
  }
}

/** Ends the evaluation: unlike CelError, no operator ignores it. */
export { BudgetExceeded } from '../schema/step-budget.js';

export class CelUint {
  constructor(readonly value: bigint) {}
}

export class CelDuration {
  constructor(readonly nanos: bigint) {}
}

export class CelTimestamp {
  constructor(readonly nanos: bigint) {}
}

/** The result of `type(x)`. */
export class CelType {
  constructor(readonly name: string) {}
}

export class CelOptional {
  static readonly none = new CelOptional(undefined);

  constructor(readonly value: CelValue | undefined) {}
}

/** A value of a type that Kubernetes adds to CEL: quantity, URL, IP, CIDR, semver, format. */
export class CelOpaque {
  constructor(
    readonly type: 'Quantity' | 'URL' | 'IP' | 'CIDR' | 'Semver' | 'Format',
    readonly content: unknown,
  ) {}
}

/** A list. Lists of type set and map are compared and concatenated regardless of order. */
export interface CelList {
  readonly items: readonly CelValue[];
  /** The key of an item, in lists of type set and map. */
  readonly keyOf?: ((item: CelValue) => string) | undefined;
}

/** A map or an object. */
export interface CelMap {
  readonly size: number;
  /** Undefined for an absent key. */
  get(key: CelValue): CelValue | undefined;
  keys(): readonly CelValue[];
}

export class PlainList implements CelList {
  constructor(
    readonly items: readonly CelValue[],
    readonly keyOf?: (item: CelValue) => string,
  ) {}
}

export class PlainMap implements CelMap {
  private readonly entries = new Map<string, [key: CelValue, value: CelValue]>();

  set(key: CelValue, value: CelValue): void {
    this.entries.set(keyText(key), [key, value]);
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    return this.entries.get(keyText(key))?.[1];
  }

  keys(): CelValue[] {
    return [...this.entries.values()].map(([key]) => key);
  }
}

export type CelValue =
  | null
  | boolean
  | string
  | bigint
  | number
  | Uint8Array
  | CelUint
  | CelDuration
  | CelTimestamp
  | CelType
  | CelOptional
  | CelOpaque
  | CelList
  | CelMap;

export function isList(value: CelValue): value is CelList {
  return typeof value === 'object' && value !== null && 'items' in value;
}

export function isMap(value: CelValue): value is CelMap {
  return typeof value === 'object' && value !== null && 'keys' in value && 'get' in value;
}

const NAMES: [new (...args: never[]) => object, string][] = [
  [CelUint, 'uint'],
  [CelDuration, 'google.protobuf.Duration'],
  [CelTimestamp, 'google.protobuf.Timestamp'],
  [CelType, 'type'],
  [CelOptional, 'optional_type'],
  [Uint8Array, 'bytes'],
];

export function typeName(value: CelValue): string {
  if (value === null) return 'null_type';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value instanceof CelOpaque) return `kubernetes.${value.type}`;
  const known = NAMES.find(([type]) => value instanceof type);
  return known?.[1] ?? (isList(value) ? 'list' : 'map');
}

/** The number of an int, uint or double; undefined for other values. */
export function numberOf(value: CelValue): bigint | number | undefined {
  if (value instanceof CelUint) return value.value;
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}

/** A text that identifies a map key; equal numbers of different types are the same key. */
function keyText(key: CelValue): string {
  const number = numberOf(key);
  if (number !== undefined) return `number ${number}`;
  return typeof key === 'object' ? typeName(key) : JSON.stringify(key);
}

export function noOverload(name: string, ...values: CelValue[]): CelError {
  return new CelError(`no such overload: ${name}(${values.map(typeName).join(', ')})`);
}
