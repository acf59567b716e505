import fs from 'node:fs';

const STANDARD_ERROR = 2;

type Level = 'info' | 'warn' | 'error' | 'fatal';

/**
 * Logs process events outside of the application: before it is created, after it is closed, and while its event loop
 * is blocked. Lines are written synchronously, so that none is lost.
 */
export class ProcessLog {
  constructor(private readonly json: boolean) {}

  /** Uses the format of the application's log; the settings need not be valid yet. */
  static fromEnv({ NODE_ENV, LOG_FORMAT }: Record<string, string | undefined>): ProcessLog {
    return new ProcessLog(LOG_FORMAT === 'json' || (!LOG_FORMAT && NODE_ENV === 'production'));
  }

  get isJson(): boolean {
    return this.json;
  }

  info = (text: string, facts?: object): void => this.write('info', text, facts);
  warn = (text: string, facts?: object): void => this.write('warn', text, facts);
  error = (text: string, facts?: object): void => this.write('error', text, facts);
  fatal = (text: string, facts?: object): void => this.write('fatal', text, facts);

  private write(level: Level, msg: string, facts: object = {}): void {
    const line = this.json ? JSON.stringify({ level, time: new Date().toISOString(), ...facts, msg }) : msg;
    try {
      fs.writeSync(STANDARD_ERROR, `${line}\n`);
    } catch {
      // A closed or blocked standard output must not end the process.
    }
  }
}
