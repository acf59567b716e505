const UNITS: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const PART = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/;
const MAX_NANOSECONDS = 1n << 63n;

/** Parses `1h30m` as Go's `time.ParseDuration` does. @returns nanoseconds; undefined for an invalid duration */
export function parseGoDuration(text: string): bigint | undefined {
  if (text.length > 1000) return undefined;
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  let rest = text.slice(sign.length);
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  let total = 0n;
  while (rest !== '') {
    const [part, whole = '', fraction = '', unit = ''] = PART.exec(rest) ?? [];
    if (part === undefined || whole + fraction === '') return undefined;
    const size = UNITS[unit] ?? 0n;
    const shown = fraction.slice(0, 18);
    total += BigInt(whole || '0') * size + (BigInt(shown || '0') * size) / 10n ** BigInt(shown.length);
    if (total > MAX_NANOSECONDS) return undefined;
    rest = rest.slice(part.length);
  }
  if (total === MAX_NANOSECONDS && sign !== '-') return undefined;
  return sign === '-' ? -total : total;
}

const UNIT_WORDS: [bigint, string[]][] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', 'µs', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [1_000_000_000n, ['s', 'sec']],
  [60_000_000_000n, ['m', 'min']],
  [3_600_000_000_000n, ['h', 'hr', 'hour']],
  [86_400_000_000_000n, ['d', 'day']],
  [604_800_000_000_000n, ['w', 'wk', 'week']],
];

/** Parses the format `duration` of custom resources: a Go duration, or numbers with units as words anywhere in the text (`2 days`). */
export function parseCustomResourceDuration(text: string): bigint | undefined {
  const plain = parseGoDuration(text);
  if (plain !== undefined || text.length > 1000) return plain;
  let total: bigint | undefined;
  for (const [, count = '', word = ''] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase();
    const size = UNIT_WORDS.find(([, names]) => names.includes(unit) || unit.startsWith(names.at(-1) ?? ''))?.[0];
    if (size !== undefined) total = (total ?? 0n) + BigInt(count) * size;
  }
  return total;
}

const SECONDS = /^\d{1,9}(\.\d{1,9})?$/;
/** Units of Prometheus from the largest to the smallest, each at most once. */
const PROMETHEUS =
  /^(?=\d)(?:(\d{1,4})y)?(?:(\d{1,6})w)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;
const PROMETHEUS_SECONDS = [365 * 86_400, 7 * 86_400, 86_400, 3_600, 60, 1, 0.001];

/** Parses a duration in seconds (`15`, `0.5`) or in Prometheus format (`1m30s`). @returns seconds; undefined unless it is a positive duration */
export function parsePrometheusDuration(text: string): number | undefined {
  const units = PROMETHEUS.exec(text)?.slice(1);
  const seconds = SECONDS.test(text)
    ? Number(text)
    : units?.reduce((sum, count, index) => sum + Number(count ?? 0) * (PROMETHEUS_SECONDS[index] ?? 0), 0);
  return seconds !== undefined && seconds > 0 ? seconds : undefined;
}
