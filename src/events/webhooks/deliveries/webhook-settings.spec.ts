import { nextDelayMs, parseRetryAfter, WebhookSettings } from './webhook-settings.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 5 ', 5_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', undefined],
    ['0', undefined],
    ['soon', undefined],
    ['120s', undefined],
    ['in 3 days', undefined],
    ['after 2099', undefined],
    ['99999999999999999999', undefined],
    ['', undefined],
  ])('%j is read as %j', (value, ms) => expect(parseRetryAfter(value, NOW)).toBe(ms));

  it('delays an attempt by a day at most, and never brings it forward', () => {
    const settings = new WebhookSettings();
    expect(nextDelayMs(1, 10 * 365 * 24 * HOUR, settings)).toBe(24 * HOUR);
    expect(nextDelayMs(3, 1, settings)).toBeGreaterThanOrEqual(HOUR / 2);
    expect(nextDelayMs(1, undefined, settings)).toBeGreaterThanOrEqual(5_000);
  });
});

it('a delivery is tried ten times over 75 hours', () => {
  const settings = new WebhookSettings();
  const delays = Array.from({ length: 9 }, (_, n) => nextDelayMs(n + 1, undefined, settings) ?? 0);
  const hours = delays.reduce((sum, ms) => sum + ms, 0) / HOUR;
  expect(hours).toBeGreaterThanOrEqual(75);
  expect(hours).toBeLessThan(75 * 1.11);
  expect(nextDelayMs(10, undefined, settings)).toBeNull();
});
