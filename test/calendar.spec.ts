import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findNextTimes } from '../src/environments/freezes/freeze-windows.js';
import { findRuleFault } from '../src/core/calendar/recurrence-rule.js';
import { nextOccurrence } from '../src/performance/schedules/schedule.js';

interface Reference {
  /** Rules with a start, and pairs of neighbours among the starts of their windows. */
  rules: { rule: string; timezone: string; start: string; instants: [string, string][] }[];
  /** Expressions, and the instants that follow on a moment. */
  crons: { cron: string; timezone: string; after: string; instants: string[] }[];
}

/** Written by scripts/calendar/reference.py. */
const FILE = process.env['CALENDAR_REFERENCE'] ?? join(import.meta.dirname, 'support/calendar-reference.json');
const { rules, crons } = JSON.parse(readFileSync(FILE, 'utf8')) as Reference;
const shown = (time: Date | null): string | undefined => time?.toISOString().replace(':00.000Z', 'Z');

describe('the calendar beside independent ones', () => {
  it('finds the windows that dateutil finds', () => {
    const differences = rules.flatMap(({ rule, timezone, start, instants }) => {
      const startsAt = new Date(start);
      const freeze = { startsAt, endsAt: new Date(startsAt.getTime() + 60_000), recurrence: rule, timezone };
      const fault = findRuleFault(rule);
      const wrong = instants.flatMap(([at, expected]) => {
        const { nextStartsAt, activeUntil } = findNextTimes(freeze, new Date(at));
        const got = shown(nextStartsAt);
        return got === expected && activeUntil ? [] : [{ at, expected, got, active: activeUntil !== null }];
      });
      return fault !== null || wrong.length > 0 ? [{ rule, timezone, start, fault, wrong: wrong.slice(0, 3) }] : [];
    });
    expect(differences).toEqual([]);
    expect(rules.length).toBeGreaterThanOrEqual(80);
  }, 600_000);

  it('finds the times that cronsim finds', () => {
    const differences = crons.flatMap(({ cron, timezone, after, instants }) => {
      const got: (string | undefined)[] = [];
      let at: Date | null = new Date(after);
      while (at && got.length < instants.length) {
        at = nextOccurrence({ cron, timezone }, at);
        got.push(shown(at));
      }
      const wrong = instants.findIndex((expected, index) => got[index] !== expected);
      return wrong < 0 ? [] : [{ cron, timezone, after, expected: instants.slice(wrong), got: got.slice(wrong) }];
    });
    expect(differences).toEqual([]);
    expect(crons.length).toBeGreaterThanOrEqual(60);
  }, 600_000);
});
