/** Words of typical default secrets. They contain no digits, because random secrets contain short digit strings by chance. */
const COMMON_WORDS = /change.?me|default|example|secret|password|letmein|qwerty/i;
/** Rows of keyboards. */
const KEYBOARD_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop', '1234567890'];
/** The minimum length of a run: characters that repeat, ascend, descend or are neighbours on the keyboard. */
const MIN_RUN_LENGTH = 4;

/**
 * Reports whether a long secret is nevertheless guessable: it contains a common word, has few distinct characters,
 * repeats itself, or more than a third of it are runs. Output of `openssl rand` passes.
 * @param distinct minimum number of distinct characters
 */
export function isPredictable(secret: string, distinct = 10): boolean {
  return (
    COMMON_WORDS.test(secret) ||
    new Set(secret).size < distinct ||
    repeatsItself(secret) ||
    countInRuns(characterSteps(secret)) * 3 > secret.length ||
    countInRuns(keyboardSteps(secret)) * 3 > secret.length
  );
}

/**
 * Checks a key as text and as bytes: 00 01 02 … is a sequence only as bytes. A key of printable bytes is rejected as
 * typed by a person.
 */
export function isPredictableKey(text: string, bytes: Uint8Array): boolean {
  return (
    isPredictable(text, 8) ||
    bytes.every((byte) => byte >= 0x20 && byte < 0x7f) ||
    countInRuns([...bytes].map((byte, index) => byte - (bytes[index - 1] ?? 0))) * 3 > 32
  );
}

/** In text without repetition, nearly all trigrams are distinct. */
function repeatsItself(text: string): boolean {
  const parts = Array.from({ length: Math.max(text.length - 2, 0) }, (_, index) => text.slice(index, index + 3));
  return parts.length > 3 && new Set(parts).size < parts.length * 0.7;
}

const characterSteps = (text: string): number[] =>
  [...text].map((character, index) => character.charCodeAt(0) - (text.charCodeAt(index - 1) || 0));

/** Distances between successive characters on the keyboard; NaN for keys that are not neighbours. */
function keyboardSteps(text: string): number[] {
  const keys = text.toLowerCase();
  return [...keys].map((key, index) => {
    const row = KEYBOARD_ROWS.find((each) => each.includes(key) && each.includes(keys.charAt(index - 1) || '\0'));
    return row ? row.indexOf(key) - row.indexOf(keys.charAt(index - 1)) : NaN;
  });
}

/** Counts the characters in runs: repetitions, and ascending or descending sequences. */
function countInRuns(distances: readonly number[]): number {
  let covered = 0;
  let length = 1;
  for (let index = 1; index <= distances.length; index++) {
    const distance = distances[index] ?? NaN;
    const goesOn = Math.abs(distance) <= 1 && (length === 1 || distance === distances[index - 1]);
    if (goesOn) length++;
    else {
      if (length >= MIN_RUN_LENGTH) covered += length;
      length = 1;
    }
  }
  return covered;
}
