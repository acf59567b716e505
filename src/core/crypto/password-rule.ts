import { createRequire } from 'node:module';

type Common = typeof import('@zxcvbn-ts/language-common');

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 1000;

/** Of a password that repeats itself: `aaaaaaaa`, `abababab`. */
const MIN_DISTINCT_CHARACTERS = 4;
/** The name of the service, which is the first guess at any installation of it. */
const SERVICE_NAME = 'armature';
/** Letters that people write as signs; a list of the most used passwords has few of these spellings. */
const LETTER_SUBSTITUTIONS: Record<string, string> = {
  '@': 'a',
  $: 's',
  '0': 'o',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
};

/** The passwords of 8 characters and more among the 49,000 most used; read when the first password is chosen. */
let commonPasswords: ReadonlySet<string> | undefined;

function readCommonPasswords(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as Common;
  return new Set(dictionary['passwords-common'].filter((word) => word.length >= MIN_PASSWORD_LENGTH));
}

/** The form in which passwords are compared and hashed: two ways to type one text are one password (NIST SP 800-63B). */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/**
 * Why a password cannot be chosen, as NIST SP 800-63B asks: its length, lists of used passwords and what an attacker knows of the account.
 *
 * @returns undefined when it can be
 */
export function findPasswordFault(password: string, email = ''): string | undefined {
  const chosen = normalizePassword(password);
  const length = Array.from(chosen).length;
  if (length < MIN_PASSWORD_LENGTH) return `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  if (length > MAX_PASSWORD_LENGTH) return `must have at most ${MAX_PASSWORD_LENGTH} characters`;
  const folded = chosen.toLowerCase();
  if (new Set(folded).size < MIN_DISTINCT_CHARACTERS)
    return `must have at least ${MIN_DISTINCT_CHARACTERS} different characters`;
  if (isCommon(folded))
    return 'must not be one of the most used passwords: choose a longer phrase, or have one generated';
  if (isGuessable(folded, email.trim().toLowerCase()))
    return 'must not be made of the e-mail address or the name of this service: choose a phrase that does not contain words of the account';
  return undefined;
}

function isCommon(folded: string): boolean {
  const written = folded.replace(/[@$03457]/g, (sign) => LETTER_SUBSTITUTIONS[sign] ?? sign);
  const spellings = [folded, written, written.replace(/[1!]/g, 'i'), written.replace(/[1!]/g, 'l')];
  const common = (commonPasswords ??= readCommonPasswords());
  return spellings.some((spelling) => common.has(spelling));
}

/** Whether the password consists of the address, a part of it or the name of the service, and digits and signs only. */
function isGuessable(folded: string, email: string): boolean {
  const [local = '', domain = ''] = email.split('@');
  if (email && folded.includes(email)) return true;
  const words = [SERVICE_NAME, local, ...local.split(/[^\p{L}]+/u), ...domain.split('.'), domain].map(keepLetters);
  return words.some((word) => word.length >= 3 && word === keepLetters(folded));
}

const keepLetters = (text: string): string => text.replace(/[^\p{L}]/gu, '');
