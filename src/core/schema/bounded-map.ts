import { ValidateBy } from 'class-validator';

const MAX_KEY_LENGTH = 255;
const MAX_TEXT_LENGTH = 64 * 1024;
const MAX_URL_LENGTH = 2_048;
const MAX_JSON_LENGTH = 256 * 1024;
const URL_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Validates an object with arbitrary keys, such as metadata: limits the length of keys, strings, URLs and the whole. */
export const IsBoundedMap = (): PropertyDecorator =>
  ValidateBy({
    name: 'isBoundedMap',
    validator: {
      validate: (value) => findFault(value) === undefined,
      defaultMessage: (argument) => findFault(argument?.value) ?? '',
    },
  });

function findFault(map: unknown): string | undefined {
  if (typeof map !== 'object' || map === null) return undefined;
  const rest: unknown[] = [map];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string') {
      if (value.length > MAX_TEXT_LENGTH) return `must hold texts of at most ${MAX_TEXT_LENGTH} characters`;
      if (value.length > MAX_URL_LENGTH && URL_SCHEME.test(value))
        return `must hold URLs of at most ${MAX_URL_LENGTH} characters`;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (key.length > MAX_KEY_LENGTH) return `must have names of at most ${MAX_KEY_LENGTH} characters`;
        rest.push(member);
      }
    }
  }
  return JSON.stringify(map).length > MAX_JSON_LENGTH
    ? `must have at most ${MAX_JSON_LENGTH} characters as JSON`
    : undefined;
}
