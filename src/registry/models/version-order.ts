import { parse } from 'semver';

const DIGITS = 12;

/**
 * A text that sorts, byte by byte, in version order (semver 2.0, with or without a leading `v`; `1.25` is `1.25.0`). Invalid versions come first.
 */
export function toVersionOrder(version: string): string {
  const found = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+.].*)?$/i.exec(version.trim());
  if (!found) return `!${version}`;
  const [, major = '0', minor = '0', patch = '0', tail = ''] = found;
  const semver = parse(`${Number(major)}.${Number(minor)}.${Number(patch)}${tail}`, { loose: true });
  const core = [major, minor, patch].map(padDigits).join('.');
  if (!semver) return `${core}~${tail}`;
  if (semver.prerelease.length === 0) return `${core}~`;
  // A number comes before a word, and fewer parts before more (semver 2.0, 11.4).
  return `${core}-${semver.prerelease.map((part) => (typeof part === 'number' ? `0${padDigits(String(part))}` : `1${part}`)).join('!')}`;
}

const padDigits = (digits: string): string => digits.replace(/^0+(?=\d)/, '').padStart(DIGITS, '0');
