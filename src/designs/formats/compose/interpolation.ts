/** Limits of the interpolation of one import: nesting of one expression, and characters produced in total. */
const MAX_NESTING = 32;
const MAX_PRODUCED_CHARACTERS = 10 * 1024 * 1024;

/** An expression that cannot be interpolated; the caller knows its location. */
export class InterpolationError extends Error {
  constructor(
    detail: string,
    readonly remedy: string,
  ) {
    super(detail);
  }
}

const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const operator = /:?[-?+]/y;

/**
 * Replaces `$VAR`, `${VAR}`, `${VAR:-default}`, `${VAR-default}`, `${VAR:?error}`, `${VAR?error}`, `${VAR:+other}`, `${VAR+other}` and `$$`,
 * nested ones included, as the Compose specification says (section Interpolation). A `$` before anything else stays as it is.
 */
export class Interpolator {
  /** Variables that were referenced and neither set nor given a default. */
  readonly unset = new Set<string>();
  private produced = 0;

  constructor(private readonly variables: Pick<ReadonlyMap<string, string>, 'get'>) {}

  /** Throws InterpolationError for a malformed expression, a required variable that is not set, or a result that exceeds the limits. */
  interpolate(text: string): string {
    if (!text.includes('$')) return text;
    const { value } = this.expand(text, 0, 0, true);
    this.produced += value.length;
    if (this.produced > MAX_PRODUCED_CHARACTERS) {
      throw new InterpolationError(
        'interpolation produces more than 10 MB of text',
        'Shorten the variables it repeats.',
      );
    }
    return value;
  }

  /** Expands from `start` to the end of the text, or inside braces to the closing one. `live` is false in a branch that is not taken. */
  private expand(text: string, start: number, depth: number, live: boolean): { value: string; next: number } {
    if (depth > MAX_NESTING) {
      throw new InterpolationError(
        `expressions are nested deeper than ${MAX_NESTING}`,
        'Give the value in one variable.',
      );
    }
    let value = '';
    let at = start;
    while (at < text.length) {
      const char = text.charAt(at);
      if (depth > 0 && char === '}') return { value, next: at + 1 };
      if (char !== '$') {
        value += char;
        at += 1;
      } else if (text[at + 1] === '$') {
        value += '$';
        at += 2;
      } else {
        const part = text[at + 1] === '{' ? this.braced(text, at + 2, depth, live) : this.named(text, at + 1, live);
        value += part.value;
        at = part.next;
      }
      if (value.length > MAX_PRODUCED_CHARACTERS) {
        throw new InterpolationError(
          'a value is longer than 10 MB once interpolated',
          'Shorten the variables it uses.',
        );
      }
    }
    if (depth > 0) throw malformedExpression(text);
    return { value, next: at };
  }

  private named(text: string, at: number, live: boolean): { value: string; next: number } {
    const variable = matchAt(name, text, at);
    if (variable !== undefined) return { value: this.plain(variable, live), next: at + variable.length };
    return { value: '$', next: at };
  }

  private braced(text: string, at: number, depth: number, live: boolean): { value: string; next: number } {
    const variable = matchAt(name, text, at);
    if (variable === undefined) throw malformedExpression(text);
    at += variable.length;
    if (text[at] === '}') return { value: this.plain(variable, live), next: at + 1 };
    const kind = matchAt(operator, text, at);
    if (kind === undefined) throw malformedExpression(text);
    at += kind.length;

    const current = this.variables.get(variable);
    const present = current !== undefined && (current !== '' || !kind.startsWith(':'));
    const wantsWord = kind.endsWith('+') ? present : !present;
    const word = this.expand(text, at, depth + 1, live && wantsWord);
    if (kind.endsWith('?') && !present && live) {
      throw new InterpolationError(
        `needs the variable ${variable}${word.value === '' ? '' : `: ${word.value}`}`,
        `Send ${variable} in env, or set it in the .env file of the archive.`,
      );
    }
    const other = kind.endsWith('+') ? '' : (current ?? '');
    return { value: wantsWord ? word.value : other, next: word.next };
  }

  private plain(variable: string, live: boolean): string {
    const value = this.variables.get(variable);
    if (value === undefined && live) this.unset.add(variable);
    return value ?? '';
  }
}

/** The text as a literal of a Compose file: every `$` doubled. */
export function escapeDollars(text: string): string {
  return text.replaceAll('$', '$$$$');
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function malformedExpression(text: string): InterpolationError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return new InterpolationError(
    `"${shown}" is not a valid interpolation`,
    'Write ${NAME}, ${NAME:-default}, ${NAME:?message} or ${NAME:+other}; a literal dollar sign is written $$.',
  );
}
