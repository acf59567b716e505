const sizePattern = /^(\d+(?:\.\d+)?)\s*([kmgtp]?)(?:i?b)?$/i;
const durationPart = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d|w)/gy;
const secondsOf: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};

/** `512`, `"10m"`, `"1.5 GB"` → bytes; units are powers of 1024. Undefined for anything else. */
export function parseBytes(size: string | number): number | undefined {
  if (typeof size === 'number') return Number.isFinite(size) && size >= 0 ? Math.round(size) : undefined;
  const [, digits, unit = ''] = sizePattern.exec(size.trim()) ?? [];
  if (digits === undefined) return undefined;
  return Math.round(Number(digits) * 1024 ** ' kmgtp'.indexOf(unit.toLowerCase() || ' '));
}

/** `"1m30s"` → 90 seconds. Undefined for anything else. */
export function parseSeconds(duration: string): number | undefined {
  if (duration === '0') return 0;
  let seconds = 0;
  const rest = duration.replace(durationPart, (_part, digits: string, unit: string) => {
    seconds += Number(digits) * (secondsOf[unit] ?? 0);
    return '';
  });
  return rest === '' && duration !== '' ? seconds : undefined;
}

/** Bytes as a Kubernetes quantity: 536870912 → `512Mi`. */
export function toMemoryQuantity(bytes: number): string {
  for (const [unit, size] of [
    ['Gi', 1024 ** 3],
    ['Mi', 1024 ** 2],
    ['Ki', 1024],
  ] as const) {
    if (bytes > 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return String(bytes);
}

/** Processors as a Kubernetes quantity: 0.5 → `500m`, 2 → `2`. */
export function toCpuQuantity(cpus: number): string {
  const millis = Math.max(1, Math.round(cpus * 1000));
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}
