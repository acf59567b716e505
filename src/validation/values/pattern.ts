import { RE2JS } from 're2js';

/** The maximum of characters times program instructions; the engine takes up to 40 ns for each. */
const MAX_WORK = 2_000_000;
const MAX_CACHED = 500;

/** A regular expression in RE2 syntax, which is matched without backtracking. */
export interface Pattern {
  /** The number of program instructions, which is the cost of a character of text. */
  size: number;
  /** Whether the text contains a match; undefined when the search would take too long. */
  matches(text: string): boolean | undefined;
  /** The first `most` matches; undefined when the search would take too long. */
  findAll(text: string, most: number): string[] | undefined;
}

const cachedPatterns = new Map<string, Pattern | string>();

/** @returns the pattern, or the error text, worded as in Go, when it is invalid */
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
