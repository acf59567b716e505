import { createRequire } from 'node:module';

type Common = typeof import('@zxcvbn-ts/language-common');

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 1000;

/** Rejects repetitive passwords: `aaaaaaaa`, `abababab`. */
const MIN_DISTINCT_CHARACTERS = 4;
/** The name of the service, an obvious guess for any installation. */
const SERVICE_NAME = 'armature';
/** Common substitutions of letters; lists of common passwords contain few of these spellings. */
const LETTER_SUBSTITUTIONS: Record<string, string> = {
  '@': 'a',
  $: 's',
  '0': 'o',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
};

/** The passwords of at least 8 characters among the 49,000 most used; loaded on first use. */
let commonPasswords: ReadonlySet<string> | undefined;

function readCommonPasswords(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as Common;
  return new Set(dictionary['passwords-common'].filter((word) => word.length >= MIN_PASSWORD_LENGTH));
}

/**
 * Normalizes a password before comparing and hashing, so that different input methods produce the same password
 * (NIST SP 800-63B).
 */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/**
 * Checks a new password by NIST SP 800-63B: its length, lists of common passwords, and words that an attacker knows
 * of the account.
 * @returns the fault, or undefined
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

/** Reports whether the password consists of the address, a part of it or the service name, plus digits and punctuation only. */
function isGuessable(folded: string, email: string): boolean {
  const [local = '', domain = ''] = email.split('@');
  if (email && folded.includes(email)) return true;
  const words = [SERVICE_NAME, local, ...local.split(/[^\p{L}]+/u), ...domain.split('.'), domain].map(keepLetters);
  return words.some((word) => word.length >= 3 && word === keepLetters(folded));
}

const keepLetters = (text: string): string => text.replace(/[^\p{L}]/gu, '');
