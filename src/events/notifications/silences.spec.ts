import { changeSilences, type Silence } from './silences.js';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-28T12:00:00Z');
const at = (days: number): Date => new Date(NOW + days * DAY);
const settings = (inApp: boolean, mutedWorkspaces: string[] = [], silences: Silence[] = []) => ({
  categories: { design: { in_app: inApp } },
  mutedWorkspaces,
  silences,
});

describe('the silences of notification settings', () => {
  it('begin with switching off and end with switching on, of categories and of workspaces', () => {
    const off = changeSilences(settings(true), settings(false, ['w']), at(0));
    expect(off).toEqual([
      { category: 'design', since: at(0).toISOString(), until: null },
      { workspace: 'w', since: at(0).toISOString(), until: null },
    ]);
    const on = changeSilences(settings(false, ['w'], off), settings(true, ['w']), at(1));
    expect(on).toEqual([{ ...off[0], until: at(1).toISOString() }, off[1]]);
    expect(changeSilences(settings(true, ['w'], on), settings(true, ['w']), at(2))).toEqual(on);
  });

  it('end for what was off before times were kept, or is off by default', () => {
    expect(changeSilences(settings(false), settings(true), at(0))).toEqual([
      { category: 'design', since: null, until: at(0).toISOString() },
    ]);
  });

  it('are forgotten when notifications are, and become one where there are very many', () => {
    const [old] = changeSilences(settings(false), settings(true), at(-40));
    expect(changeSilences(settings(true, [], [old as Silence]), settings(true, ['w']), at(0))).toHaveLength(1);
    let silences: Silence[] = [];
    for (let turn = 0; turn < 500; turn++) {
      silences = changeSilences(settings(true, [], silences), settings(false), at(turn / 1_000));
      silences = changeSilences(settings(false, [], silences), settings(true), at((turn + 0.5) / 1_000));
      expect(silences.length).toBeLessThanOrEqual(200);
    }
    expect(silences[0]).toMatchObject({ category: 'design', since: at(0).toISOString() });
    expect(silences.at(-1)?.until).toBe(at(499.5 / 1_000).toISOString());
  });
});
