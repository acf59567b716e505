import { RepeatLog } from './repeat-log.js';

it('logs what repeats once a minute, with the number in between, and others at once', () => {
  const lines: unknown[] = [];
  const log = new RepeatLog({ warn: (...line: unknown[]) => void lines.push(line) });
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  try {
    for (let i = 0; i < 5; i++) log.warn('mail away', { job: i }, 'again');
    log.warn('mail refused', { job: 5 }, 'again');
    clock.mockReturnValue(60_001);
    log.warn('mail away', { job: 6 }, 'again');
    clock.mockReturnValue(120_002);
    log.warn('mail away', { job: 7 }, 'again');
    expect(lines).toEqual([
      [{ job: 0 }, 'again'],
      [{ job: 5 }, 'again'],
      [{ job: 6, omitted: 4 }, 'again'],
      [{ job: 7 }, 'again'],
    ]);
  } finally {
    clock.mockRestore();
  }
});
