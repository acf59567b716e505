import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { EXIT, Failure, WrongUse } from './failure.js';

/**
 * Marks of styles in text that is shown to people. They become escape sequences, or nothing, only when the text is written, after
 * control characters were escaped: what a server sends can at most be coloured.
 */
const STYLES = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const;
export type Style = keyof typeof STYLES;
const NAMES = Object.keys(STYLES) as Style[];
const FIRST_MARK = 0xf8d0;
const END_MARK = '\uf8cf';
const MARKS = /[\uf8cf-\uf8df]/g;

export const styled = (style: Style, text: string): string =>
  `${String.fromCharCode(FIRST_MARK + NAMES.indexOf(style))}${text}${END_MARK}`;

export const withoutStyles = (text: string): string => text.replace(MARKS, '');

const toSequence = (mark: string): string => {
  if (mark === END_MARK) return '\u001b[0m';
  const style = NAMES[mark.charCodeAt(0) - FIRST_MARK];
  return style ? `\u001b[${STYLES[style]}m` : '';
};

/** Control characters but tab and line feed, and characters that change the direction of text. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const escapeControls = (text: string): string =>
  text.replace(CONTROLS, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const interrupted = (): Failure => new Failure('cancelled', 'Nothing was changed.', EXIT.interrupted);

type Stream = NodeJS.WriteStream;

/** The terminal of the caller, or the pipes in its place: nothing but data goes to standard output, all else to standard error. */
export class Terminal {
  private readonly hasColours: { out: boolean; err: boolean };

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly out: Stream = process.stdout,
    private readonly err: Stream = process.stderr,
    private readonly input: NodeJS.ReadStream = process.stdin,
  ) {
    const allowed = !env['NO_COLOR'] && env['TERM'] !== 'dumb';
    this.hasColours = { out: allowed && out.isTTY, err: allowed && err.isTTY };
  }

  /** Whether a person can be asked. */
  get isInteractive(): boolean {
    return Boolean(this.input.isTTY && this.err.isTTY);
  }

  get showsToPerson(): boolean {
    return Boolean(this.out.isTTY);
  }

  /** Whether progress may be drawn over itself. */
  get canRedraw(): boolean {
    return Boolean(this.err.isTTY) && this.env['TERM'] !== 'dumb' && !this.env['CI'];
  }

  get width(): number {
    return this.out.isTTY ? this.out.columns || 80 : Infinity;
  }

  get messageWidth(): number {
    return this.err.isTTY ? this.err.columns || 80 : Infinity;
  }

  get rows(): number {
    return this.out.rows || 24;
  }

  /** Data as it is; on a terminal without control characters. */
  data(text: string | Uint8Array): void {
    if (!this.out.isTTY) this.out.write(text);
    else this.out.write(escapeControls(typeof text === 'string' ? text : new TextDecoder().decode(text)));
  }

  /** Text with styles, as the result. */
  print(text: string): void {
    this.out.write(`${this.render(text, this.out.isTTY, this.hasColours.out)}\n`);
  }

  /** As `print`, through the pager of the person where the terminal has too few lines. */
  async page(text: string): Promise<void> {
    const pager = this.env['PAGER'] ?? 'less';
    if (!this.out.isTTY || pager === '' || text.split('\n').length < this.rows) return this.print(text);
    const child = spawn(pager, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS: 'FRX', ...this.env },
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${this.render(text, true, this.hasColours.out)}\n`);
    const [code] = (await once(child, 'close').catch(() => [null])) as [number | null];
    // A pager that is not there, or failed, may have shown nothing.
    if (code !== 0) this.print(text);
  }

  /** Text with styles for the person, beside the result. */
  say(text: string): void {
    this.err.write(`${this.render(text, this.err.isTTY, this.hasColours.err)}\n`);
  }

  /** As `say`, without a line end and with the sequences that move the cursor before it. */
  draw(sequence: string, text: string): void {
    this.err.write(sequence + this.render(text, true, this.hasColours.err));
  }

  render(text: string, escape: boolean, colours: boolean): string {
    const safe = escape ? escapeControls(text) : text;
    return colours ? safe.replace(MARKS, toSequence) : withoutStyles(safe);
  }

  async ask(question: string): Promise<string> {
    const lines = createInterface({ input: this.input, output: this.err });
    try {
      return await new Promise<string>((resolve, reject) => {
        lines.question(this.render(question, true, this.hasColours.err), resolve);
        lines.once('SIGINT', () => reject(interrupted()));
        lines.once('close', () => resolve(''));
      });
    } finally {
      lines.close();
    }
  }

  async confirm(question: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.ask(`${question} [y/N] `)).trim());
  }

  /** Asks without an echo. */
  async askSecret(question: string): Promise<string> {
    this.err.write(this.render(question, true, this.hasColours.err));
    const { input } = this;
    input.setRawMode(true);
    input.resume();
    let secret = '';
    try {
      for await (const chunk of input.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
        for (const unit of chunk.toString('utf8')) {
          if (unit === '\r' || unit === '\n') return secret;
          if (unit === '\u0003') throw interrupted();
          if (unit === '\u0004') throw new WrongUse('cancelled', 'Nothing was changed.');
          secret = unit === '\u007f' || unit === '\b' ? [...secret].slice(0, -1).join('') : secret + unit;
        }
      return secret;
    } finally {
      input.setRawMode(false);
      input.pause();
      this.err.write('\n');
    }
  }

  /** All of standard input. @throws WrongUse when that is a terminal */
  async readInput(): Promise<Buffer> {
    if (this.input.isTTY)
      throw new WrongUse('nothing was sent on standard input', 'Pipe the file or the secret to the command.');
    const chunks: Buffer[] = [];
    for await (const chunk of this.input) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  /** The first line of standard input, without its end. */
  async readSecret(): Promise<string> {
    const [line = ''] = (await this.readInput()).toString('utf8').split(/\r?\n/, 1);
    if (!line) throw new WrongUse('standard input has no secret in its first line', 'Pipe the secret to the command.');
    return line;
  }
}
