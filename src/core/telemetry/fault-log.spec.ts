import { Logger } from '@nestjs/common';
import { mock } from 'node:test';
import { Conflict, InvalidRequest } from '../errors/app-error.js';
import { internalError } from '../errors/problem.js';
import { FaultLog } from './fault-log.js';

class RecordingLogger extends Logger {
  readonly lines: unknown[][] = [];

  override warn(...line: unknown[]): void {
    this.lines.push(['warn', ...line]);
  }

  override error(...line: unknown[]): void {
    this.lines.push(['error', ...line]);
  }
}

describe('FaultLog', () => {
  let logger: RecordingLogger;
  let faults: FaultLog;
  beforeEach(() => {
    mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
    logger = new RecordingLogger();
    faults = new FaultLog(logger);
  });
  afterEach(() => mock.timers.reset());

  it('logs an error with a name in one line, and an unexpected one with its stack', () => {
    const unexpected = new Error('no such column');
    faults.log(new Conflict('NAME_TAKEN', 'The name is taken', { remedy: 'Choose another name.' }));
    faults.log(new Conflict('NAME_TAKEN', 'The name is taken', { remedy: 'Choose another name.' }), 'creating a team');
    faults.log(unexpected, 'creating a team');
    faults.log(internalError(unexpected));
    faults.log(new InvalidRequest('The form is malformed', { cause: new Error('unexpected end\n  at byte 7') }));
    expect(logger.lines).toEqual([
      ['warn', 'The name is taken'],
      ['warn', 'creating a team: The name is taken'],
      ['error', unexpected, 'creating a team'],
      ['error', unexpected, undefined],
      ['warn', 'The form is malformed (unexpected end at byte 7)'],
    ]);
  });

  it('logs 30 faults a minute, and in the next minute how many more there were', () => {
    for (let n = 0; n < 1_000; n++)
      faults.log(new Conflict('NAME_TAKEN', `fault ${n}`, { remedy: 'Choose another name.' }));
    expect(logger.lines).toHaveLength(30);
    mock.timers.tick(60_000);
    faults.log(new Conflict('NAME_TAKEN', 'a fault of the next minute', { remedy: 'Choose another name.' }));
    expect(logger.lines.slice(30)).toEqual([
      ['warn', '970 more errors were not logged'],
      ['warn', 'a fault of the next minute'],
    ]);
  });
});
