/** Words that are typical of default secrets; without digits, since random secrets contain those by chance. */
const COMMON_WORDS = /change.?me|default|example|secret|password|letmein|qwerty/i;
/** What fingers find side by side. */
const KEYBOARD_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop', '1234567890'];
/** Characters that follow one another by a rule are a run from this length on. */
const MIN_RUN_LENGTH = 4;

/**
 * Whether a secret can be guessed although it is long: it has a usual word in it, few different characters, repeats itself, or follows the
 * alphabet or the keyboard for more than a third of its length. What `openssl rand` makes passes.
 * @param distinct different characters that it must have
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

/** The same for the bytes of a key, as text and as numbers: 00 01 02 … is a sequence only as bytes, and a key of printable bytes was typed by a person. */
export function isPredictableKey(text: string, bytes: Uint8Array): boolean {
  return (
    isPredictable(text, 8) ||
    bytes.every((byte) => byte >= 0x20 && byte < 0x7f) ||
    countInRuns([...bytes].map((byte, index) => byte - (bytes[index - 1] ?? 0))) * 3 > 32
  );
}

/** Of text that does not repeat itself nearly every three characters in a row are others. */
function repeatsItself(text: string): boolean {
  const parts = Array.from({ length: Math.max(text.length - 2, 0) }, (_, index) => text.slice(index, index + 3));
  return parts.length > 3 && new Set(parts).size < parts.length * 0.7;
}

const characterSteps = (text: string): number[] =>
  [...text].map((character, index) => character.charCodeAt(0) - (text.charCodeAt(index - 1) || 0));

/** The same on the keyboard; NaN between keys that are not neighbours. */
function keyboardSteps(text: string): number[] {
  const keys = text.toLowerCase();
  return [...keys].map((key, index) => {
    const row = KEYBOARD_ROWS.find((each) => each.includes(key) && each.includes(keys.charAt(index - 1) || '\0'));
    return row ? row.indexOf(key) - row.indexOf(keys.charAt(index - 1)) : NaN;
  });
}

/** How many characters are part of a run: repetitions, and ascending or descending sequences. */
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
