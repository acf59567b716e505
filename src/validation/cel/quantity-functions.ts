import { compare as compareVersions, parse as parseVersion, type SemVer } from 'semver';
import { isWhole, parseQuantity, type Quantity, wholeUnits } from '../values/quantity.js';
import { checkedInt } from './operators.js';
import type { CelFunction, CelFunctions } from './run.js';
import { CelError, CelOpaque, type CelValue } from './values.js';

const NANO = 1_000_000_000n;

/** Functions of quantities and semantic versions, whose methods have the same names. */
export const QUANTITY_FUNCTIONS: CelFunctions = {
  sign: quantityMethod(({ nanos }) => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n)),
  quantity: ([text]) => {
    if (typeof text !== 'string') return undefined;
    const quantity = parseQuantity(text);
    if (typeof quantity === 'string') throw new CelError(quantity, 'invalid quantity');
    return toCelQuantity(quantity);
  },
  isQuantity: ([text]) => (typeof text === 'string' ? typeof parseQuantity(text) !== 'string' : undefined),
  semver: ([text, loose]) => {
    if (typeof text !== 'string') return undefined;
    const version = toSemVer(text, loose === true);
    if (!version) throw new CelError(`invalid semver: ${text}`, 'invalid semver');
    return new CelOpaque('Semver', version.version);
  },
  isSemver: ([text, loose]) => (typeof text === 'string' ? toSemVer(text, loose === true) !== undefined : undefined),
};

export const QUANTITY_METHODS: CelFunctions = {
  isInteger: quantityMethod((quantity) => isWhole(quantity)),
  asInteger: quantityMethod((quantity) => {
    if (!isWhole(quantity)) throw new CelError('cannot convert value to integer');
    return checkedInt(wholeUnits(quantity));
  }),
  asApproximateFloat: quantityMethod(({ nanos }) => Number(nanos) / 1e9),
  add: quantityMethod((left, right) => right && toCelQuantity({ nanos: left.nanos + right.nanos })),
  sub: quantityMethod((left, right) => right && toCelQuantity({ nanos: left.nanos - right.nanos })),
  isGreaterThan: ([left, right]) => compareValues(left, right, (order) => order > 0),
  isLessThan: ([left, right]) => compareValues(left, right, (order) => order < 0),
  compareTo: ([left, right]) => compareValues(left, right, (order) => BigInt(order)),
  major: ([version]) => versionPart(version, 'major'),
  minor: ([version]) => versionPart(version, 'minor'),
  patch: ([version]) => versionPart(version, 'patch'),
};

function quantityMethod(work: (left: Quantity, right: Quantity | undefined) => CelValue | undefined): CelFunction {
  return ([left, right]) => {
    const quantity = quantityIn(left);
    return quantity && work(quantity, typeof right === 'bigint' ? { nanos: right * NANO } : quantityIn(right));
  };
}

function toCelQuantity(quantity: Quantity): CelOpaque {
  return new CelOpaque('Quantity', quantity);
}

function quantityIn(value: CelValue | undefined): Quantity | undefined {
  return value instanceof CelOpaque && value.type === 'Quantity' ? (value.content as Quantity) : undefined;
}

function versionIn(value: CelValue | undefined): SemVer | undefined {
  if (!(value instanceof CelOpaque) || value.type !== 'Semver') return undefined;
  return parseVersion(String(value.content)) ?? undefined;
}

function compareValues(
  left: CelValue | undefined,
  right: CelValue | undefined,
  answer: (order: number) => CelValue,
): CelValue | undefined {
  const [a, b] = [quantityIn(left), quantityIn(right)];
  if (a && b) return answer(a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0);
  const [older, newer] = [versionIn(left), versionIn(right)];
  return older && newer ? answer(compareVersions(older, newer)) : undefined;
}

function versionPart(value: CelValue | undefined, part: 'major' | 'minor' | 'patch'): CelValue | undefined {
  const version = versionIn(value);
  return version && BigInt(version[part]);
}

/** @param loose accepts a leading `v`, missing parts and leading zeros */
function toSemVer(text: string, loose: boolean): SemVer | undefined {
  if (!loose) return /^\d/.test(text) ? (parseVersion(text) ?? undefined) : undefined;
  const [, numbers = '', rest = ''] = /^v?(\d+(?:\.\d+){0,2})([-+].*)?$/.exec(text.trim()) ?? [];
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  return parseVersion(`${[...parts, '0', '0'].slice(0, 3).join('.')}${rest}`) ?? undefined;
}
