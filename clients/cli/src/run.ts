import type { Armature } from '@armature/client';
import { Output } from './output.js';
import { Session } from './session.js';
import { type GlobalFlags, Settings } from './settings.js';
import { Terminal } from './terminal.js';
import { WrongUse } from './failure.js';

/** What a command works with, made when it first asks. */
export class Run {
  readonly terminal: Terminal;
  readonly output: Output;
  private loading: Promise<Settings> | undefined;
  private opening: Promise<Session> | undefined;

  constructor(
    readonly flags: GlobalFlags,
    readonly env: NodeJS.ProcessEnv = process.env,
  ) {
    this.terminal = new Terminal(env);
    this.output = new Output(this.terminal, flags.output);
  }

  settings(): Promise<Settings> {
    return (this.loading ??= Settings.load(this.env, this.flags));
  }

  session(): Promise<Session> {
    return (this.opening ??= this.settings().then((settings) => Session.open(settings)));
  }

  async api(): Promise<Armature> {
    return (await this.session()).armature;
  }

  /** The address that errors name; undefined before it is known. */
  async describeServer(): Promise<string | undefined> {
    return this.settings()
      .then(({ server }) => server)
      .catch(() => undefined);
  }

  /** Asks before something is deleted. @throws WrongUse when nobody can be asked, or the person says no */
  async confirm(question: string): Promise<void> {
    if (this.flags.yes) return;
    if (!this.terminal.isInteractive)
      throw new WrongUse(`${question} Nobody can be asked here`, 'Add --yes to do it without a question.');
    if (!(await this.terminal.confirm(question))) throw new WrongUse('cancelled', 'Nothing was changed.');
  }
}
