/** An invalid pattern: an unclosed class, or a backslash at the end. */
export class GlobSyntaxError extends Error {}

/** One position of a pattern: any run of characters, or a test of one character. */
type GlobPart = '*' | ((char: string) => boolean);

/** A pattern of Go's `path/filepath.Match`: `*` and `?` match within one segment of a path. Takes time in proportion to both lengths. */
export class GlobPattern {
  private readonly parts: readonly GlobPart[];

  /** Throws GlobSyntaxError. */
  constructor(text: string) {
    this.parts = parseParts([...text]);
  }

  /** Whether all of the path matches. */
  matches(path: string): boolean {
    const { parts } = this;
    const chars = [...path];
    let [part, at] = [0, 0];
    let [afterStar, resume] = [-1, 0];
    while (at < chars.length) {
      const test = parts[part];
      const char = chars[at] ?? '';
      if (test === '*') {
        part += 1;
        [afterStar, resume] = [part, at];
      } else if (test?.(char)) {
        part += 1;
        at += 1;
      } else if (afterStar >= 0 && chars[resume] !== '/') {
        resume += 1;
        [part, at] = [afterStar, resume];
      } else return false;
    }
    return parts.slice(part).every((rest) => rest === '*');
  }
}

function parseParts(chars: readonly string[]): GlobPart[] {
  const parts: GlobPart[] = [];
  let at = 0;
  const literal = (): string => {
    if (chars[at] === '\\') at += 1;
    const char = chars[at];
    if (char === undefined) throw new GlobSyntaxError();
    at += 1;
    return char;
  };
  const classMember = (): string => {
    if (chars[at] === '-' || chars[at] === ']') throw new GlobSyntaxError();
    return literal();
  };
  while (at < chars.length) {
    const char = chars[at];
    if (char === '*') {
      at += 1;
      if (parts.at(-1) !== '*') parts.push('*');
    } else if (char === '?') {
      at += 1;
      parts.push((other) => other !== '/');
    } else if (char === '[') {
      at += 1;
      const negated = chars[at] === '^';
      if (negated) at += 1;
      const ranges: [low: string, high: string][] = [];
      while (chars[at] !== ']' || ranges.length === 0) {
        const low = classMember();
        if (chars[at] !== '-') ranges.push([low, low]);
        else {
          at += 1;
          ranges.push([low, classMember()]);
        }
      }
      at += 1;
      parts.push((other) => ranges.some(([low, high]) => low <= other && other <= high) !== negated);
    } else {
      const wanted = literal();
      parts.push((other) => other === wanted);
    }
  }
  return parts;
}
