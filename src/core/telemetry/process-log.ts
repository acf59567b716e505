import fs from 'node:fs';

const STANDARD_ERROR = 2;

type Level = 'info' | 'warn' | 'error' | 'fatal';

/**
 * What the process says of itself when there is no application whose log could take it: before it is made, after it is
 * closed, and while its event loop is blocked. Each line is written before the call returns, so that none is lost.
 */
export class ProcessLog {
  constructor(private readonly json: boolean) {}

  /** In the form that the application's log has with these settings, which need not be sound yet. */
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
      // The reader has gone, or does not read now: that must not end the process.
    }
  }
}
