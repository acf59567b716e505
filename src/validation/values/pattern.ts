import { RE2JS } from 're2js';

/** Characters times instructions of the program; the slowest way of the engine takes some 40 ns for one. */
const MAX_WORK = 2_000_000;
const MAX_CACHED = 500;

/** A regular expression in RE2 syntax, which never backtracks. */
export interface Pattern {
  /** Instructions of its program: how much a character of a text costs. */
  size: number;
  /** Whether it is found in the text; undefined when finding out takes too long. */
  matches(text: string): boolean | undefined;
  /** The first `most` matches; undefined when finding out takes too long. */
  findAll(text: string, most: number): string[] | undefined;
}

const cachedPatterns = new Map<string, Pattern | string>();

/** @returns the reason when it cannot be compiled, as Go says it */
export function compilePattern(source: string): Pattern | string {
  const known = cachedPatterns.get(source);
  if (known !== undefined) return known;
  if (cachedPatterns.size >= MAX_CACHED) cachedPatterns.clear();
  const pattern = compile(source);
  cachedPatterns.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern | string {
  try {
    const program = RE2JS.compile(source);
    const size = program.programSize();
    return {
      size,
      matches: (text) => (text.length * size > MAX_WORK ? undefined : program.test(text)),
      findAll: (text, most) => {
        if (text.length * size > MAX_WORK) return undefined;
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
