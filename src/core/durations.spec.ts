import { parseCustomResourceDuration, parseGoDuration, parsePrometheusDuration } from './durations.js';

it.each([
  ['15', 15],
  ['0.5', 0.5],
  ['250ms', 0.25],
  ['1m30s', 90],
  ['1d', 86_400],
  ['1y2w', 32_745_600],
])('the Prometheus duration %s has %d seconds', (text, seconds) => expect(parsePrometheusDuration(text)).toBe(seconds));

it.each(['', '0', '0s', '-1', '1x', '30s1m', '1.5h', 'Infinity', '1m ', '1'.repeat(1000)])(
  'the Prometheus duration %j is none',
  (text) => expect(parsePrometheusDuration(text)).toBeUndefined(),
);

it.each([
  ['1h30m', 5_400_000_000_000n],
  ['-1.5s', -1_500_000_000n],
  ['0', 0n],
  ['1us', 1_000n],
])('the Go duration %s has %d nanoseconds', (text, nanoseconds) => expect(parseGoDuration(text)).toBe(nanoseconds));

it.each(['', '1', '1d', '1 h', '.s', '2562048h'])('the Go duration %j is none', (text) =>
  expect(parseGoDuration(text)).toBeUndefined(),
);

it.each([
  ['1h', 3_600_000_000_000n],
  ['2 days', 172_800_000_000_000n],
  ['1 week 2 hr', 612_000_000_000_000n],
])('the duration %s of a custom resource has %d nanoseconds', (text, nanoseconds) =>
  expect(parseCustomResourceDuration(text)).toBe(nanoseconds),
);
