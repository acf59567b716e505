import { parseCustomResourceDuration } from '../../core/durations.js';
import { parseCidr, parseIp } from './ip-address.js';
import { isDateTime, parseDate } from './timestamp.js';

type FormatRule = (text: string) => boolean;

/** The maximum characters of a text whose format is checked. */
const MAX_TEXT_LENGTH = 10_000;

const HOST_LABEL = '[a-zA-Z0-9\\p{S}\\p{L}]';
const HOST = new RegExp(
  `^(?:${HOST_LABEL}(?:-?${HOST_LABEL}{0,62})?|(?:${HOST_LABEL}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${HOST_LABEL})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
);
const OCTET = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const RGB = new RegExp(`^rgb\\(\\s*${OCTET}\\s*,\\s*${OCTET}\\s*,\\s*${OCTET}\\s*\\)$`);
const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** The formats that an API server checks in custom resources, named without hyphens; it ignores all others. */
const FORMATS: Record<string, FormatRule> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && parseIp(text, true) !== undefined,
  ipv6: (text) => text.includes(':') && parseIp(text) !== undefined,
  cidr: (text) => parseCidr(text, true) !== undefined,
  mac: isMac,
  uuid: uuid('[0-9a-f]', '[0-9a-f]'),
  uuid3: uuid('3', '[0-9a-f]'),
  uuid4: uuid('4', '[89ab]'),
  uuid5: uuid('5', '[89ab]'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: (text) => RGB.test(text),
  byte: isBase64,
  password: () => true,
  date: (text) => parseDate(text) !== undefined,
  duration: (text) => parseCustomResourceDuration(text) !== undefined,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: (text) =>
    text.length <= 253 && text.split('.').every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part)),
};

/** Whether an API server checks this format. */
export function isCheckedFormat(format: string): boolean {
  return Object.hasOwn(FORMATS, format.replaceAll('-', ''));
}

/** Whether a current API server accepts the text; true for unknown formats. */
export function hasFormat(format: string, text: string): boolean {
  const name = format.replaceAll('-', '');
  const rule = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!rule || name === 'password') return true;
  if (name === 'byte') return isBase64(text);
  return text.length <= MAX_TEXT_LENGTH && rule(text);
}

/** Whether it is standard base64 with padding. */
export function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** Whether Go's `url.ParseRequestURI` accepts it: an absolute URI or an absolute path. */
export function isRequestUri(text: string): boolean {
  if (text === '*') return true;
  // eslint-disable-next-line no-control-regex -- control characters are refused
  if (text === '' || /[\x00-\x20\x7f]/.test(authorityAndPath(text)) || /[\x00-\x1f\x7f]/.test(text)) return false;
  if (/%(?![0-9a-fA-F]{2})/.test(text.split('?')[0] ?? '')) return false;
  if (text.startsWith('/')) return true;
  const [scheme] = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text) ?? [];
  if (!scheme) return false;
  const rest = text.slice(scheme.length);
  if (!rest.startsWith('//')) return true;
  return isAuthority(rest.slice(2).split(/[/?]/)[0] ?? '');
}

function authorityAndPath(text: string): string {
  return /^[^:]*:\/\/[^/?]*/.exec(text)?.[0] ?? '';
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host.startsWith('[')) return /^\[[0-9a-fA-F:.%]+\](?::\d*)?$/.test(host);
  return /^[^[\]<>"\s^`{|}\\:]*(?::\d*)?$/.test(host);
}

/** Whether Go's `mail.ParseAddress` accepts it, in its common forms: an address, with or without a display name. */
function isEmail(text: string): boolean {
  const [, inner] = /^[^<>]*<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = (inner ?? text).trim();
  const at = address.lastIndexOf('@');
  const atoms = (part: string): boolean => part.split('.').every((atom) => /^[^\s()<>[\]:;@\\,."\p{Cc}]+$/u.test(atom));
  const local = address.slice(0, at);
  if (at < 1) return false;
  return (
    (atoms(local) || /^"[^"\\]+"$/.test(local)) &&
    (atoms(address.slice(at + 1)) || /^\[[^[\]]+\]$/.test(address.slice(at + 1)))
  );
}

function isHostname(text: string): boolean {
  return (
    Buffer.byteLength(text) <= 255 &&
    HOST.test(text) &&
    text.split('.').every((label) => Buffer.byteLength(label) <= 63)
  );
}

/** Whether it is a MAC address of 6, 8 or 20 bytes: in pairs of digits, in groups of four with dots, or without separators. */
function isMac(text: string): boolean {
  const separator = /[:.-]/.exec(text)?.[0] ?? '';
  const size = separator === '.' ? 4 : 2;
  const parts = separator === '' ? (text.match(/.{1,2}/gs) ?? []) : text.split(separator);
  const isHex = parts.every((part) => part.length === size && /^[0-9a-f]+$/i.test(part));
  return isHex && [6, 8, 20].includes((parts.length * size) / 2);
}

function uuid(version: string, variant: string): FormatRule {
  const shape = new RegExp(
    `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`,
    'i',
  );
  return (text) => shape.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0);
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, '');
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value >= 10 ? value - 9 : value);
  }, 0);
  return CARD.test(digits) && sum % 10 === 0;
}
