/** A Kubernetes quantity, as an exact number of billionths. */
export interface Quantity {
  nanos: bigint;
}

const NANO = 1_000_000_000n;
const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eEinumkKMGTP]+)([+-]?\d*)|([+-]\d*))?$/;
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Record<string, bigint> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const WRONG_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX = "unable to parse quantity's suffix";
const MAX_VALUE = (1n << 63n) - 1n;
/** The maximum exponent: larger powers are costly to compute and do not occur. */
const MAX_EXPONENT = 400;
const MAX_DIGITS = 2_000;

/**
 * Parses a quantity: `1500m`, `2Gi`, `1e3`.
 *
 * @returns the quantity, or the error text of Kubernetes when it is invalid
 */
export function parseQuantity(text: string): Quantity | string {
  if (text === '' || text.length > MAX_DIGITS) return WRONG_FORM;
  const [, sign, whole = '', fraction = '', letters = '', exponent, signed = ''] = SHAPE.exec(text) ?? [];
  if (sign === undefined) return WRONG_FORM;
  const digits = BigInt(whole + fraction || '0');
  const tail = exponent ?? signed;
  const power = exponentOf(letters, tail);
  if (typeof power === 'string') return power;
  if (whole + fraction === '' && letters + tail !== '') return WRONG_SUFFIX;
  const binary = power.two > 0n;
  let nanos = shift((digits << power.two) * NANO, power.ten - fraction.length);
  if (binary && nanos > MAX_VALUE * NANO) nanos = MAX_VALUE * NANO;
  return { nanos: sign === '-' ? -nanos : nanos };
}

/** Whole units, rounded away from zero, as `Quantity.Value()` in Go. */
export function wholeUnits({ nanos }: Quantity): bigint {
  const units = nanos / NANO;
  if (nanos % NANO === 0n) return units;
  return nanos > 0n ? units + 1n : units - 1n;
}

export function isWhole({ nanos }: Quantity): boolean {
  return nanos % NANO === 0n;
}

function exponentOf(letters: string, tail: string): { ten: number; two: bigint } | string {
  const two = BINARY[letters];
  if (two !== undefined && tail === '') return { ten: 0, two };
  const ten = DECIMAL[letters];
  if (ten !== undefined && Object.hasOwn(DECIMAL, letters) && tail === '') return { ten, two: 0n };
  const exponent = Number(tail);
  if ((letters === 'e' || letters === 'E') && /\d/.test(tail) && Math.abs(exponent) <= MAX_EXPONENT)
    return { ten: exponent, two: 0n };
  return WRONG_SUFFIX;
}

/** `nanos` times a power of ten, rounded up. */
function shift(nanos: bigint, ten: number): bigint {
  if (ten >= 0) return nanos * 10n ** BigInt(ten);
  const divisor = 10n ** BigInt(-ten);
  return (nanos + divisor - 1n) / divisor;
}
