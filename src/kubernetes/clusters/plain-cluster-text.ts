const INVALID_VALUE = 'Invalid value: ';
/** Matches the Go type name of a printed value, such as `v1.LabelSelector{` or `map[string]string{`, or the start of JSON. */
const STRUCTURE_START = /^(?:[&*]?[\w.[\]*]+)?\{/;
const MAX_VALUE_LENGTH = 200;

/**
 * Removes Go structures from an API server's messages of invalid values: `spec.selector: Invalid value:
 * v1.LabelSelector{…}: field is immutable` becomes `spec.selector: field is immutable`. Short values remain.
 */
export function toPlainClusterText(text: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (let found = text.indexOf(INVALID_VALUE); found >= 0; found = text.indexOf(INVALID_VALUE, at)) {
    const start = found + INVALID_VALUE.length;
    const end = findValueEnd(text, start);
    const isLong = end - start > MAX_VALUE_LENGTH || STRUCTURE_START.test(text.slice(start, start + MAX_VALUE_LENGTH));
    const isDropped = isLong && text.startsWith(': ', end);
    pieces.push(text.slice(at, isDropped ? found : end));
    at = isDropped ? end + 2 : end;
  }
  return pieces.join('') + text.slice(at);
}

/** Returns the end of the value that starts here: the first `: ` outside of quotes and brackets. */
function findValueEnd(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{' || character === '[' || character === '(') depth++;
    else if (character === '}' || character === ']' || character === ')') depth--;
    else if (depth <= 0 && text.startsWith(': ', at)) return at;
  }
  return text.length;
}
