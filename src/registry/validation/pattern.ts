import { RE2JS } from 're2js';

/** Characters times instructions of the program; the slowest way of the engine takes some 40 ns for one. */
const MOST_WORK = 2_000_000;
const MOST_KEPT = 500;

/** A regular expression in RE2 syntax, which never backtracks. */
export interface Pattern {
  /** Instructions of its program: how much a character of a text costs. */
  size: number;
  /** Whether it is found in the text; undefined when finding out takes too long. */
  isIn(text: string): boolean | undefined;
  /** The first `most` matches; undefined when finding out takes too long. */
  all(text: string, most: number): string[] | undefined;
}

const kept = new Map<string, Pattern | string>();

/** @returns the reason when it cannot be compiled, as Go says it */
export function compilePattern(source: string): Pattern | string {
  const known = kept.get(source);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const pattern = compile(source);
  kept.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern | string {
  try {
    const program = RE2JS.compile(source);
    const size = program.programSize();
    return {
      size,
      isIn: (text) => (text.length * size > MOST_WORK ? undefined : program.test(text)),
      all: (text, most) => {
        if (text.length * size > MOST_WORK) return undefined;
        const found: string[] = [];
        const matcher = program.matcher(text);
        while (found.length < most && matcher.find()) found.push(matcher.group() ?? '');
        return found;
      },
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
