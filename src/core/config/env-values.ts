import { createPrivateKey, createPublicKey } from 'node:crypto';
import fs from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** A century, in days. */
const MAX_DAYS = 36_525;

/** A duration in seconds, or a number with s, m, h or d ("15m"); parsed to seconds. */
export const duration = z
  .string()
  .regex(/^[1-9]\d*[smhd]?$/, 'must be seconds, or a number with s, m, h or d, such as 15m')
  .transform((text) => parseInt(text, 10) * (UNITS[text.slice(-1)] ?? 1))
  .refine((seconds) => seconds <= MAX_DAYS * 86_400, `must be at most ${MAX_DAYS}d`);

/** A duration of at most `mostSeconds`; 0 disables the delay. */
export const delay = (mostSeconds: number) =>
  z
    .string()
    .regex(/^(0|[1-9]\d*)[sm]?$/, 'must be seconds, or a number with s or m, such as 5s')
    .transform((text) => parseInt(text, 10) * (UNITS[text.slice(-1)] ?? 1))
    .refine((seconds) => seconds <= mostSeconds, `must be at most ${mostSeconds} s`);

/** An integer within the given bounds. */
export const integer = (min = 1, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine(
      (n) => n >= min && n <= max,
      max === Number.MAX_SAFE_INTEGER ? `must be at least ${min}` : `must be between ${min} and ${max}`,
    );

/** A comma-separated list; an empty value is an empty list. */
export const commaSeparatedList = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

/** The name of a container image. */
export const image = z.string().regex(/^[\w][\w.:/@-]{0,499}$/, 'must be the name of an image');

/** One of these values. */
export const choice = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);

export const flag = choice(['true', 'false']).transform((text) => text === 'true');

export const onOff = choice(['on', 'off']).transform((text) => text === 'on');

const isUrl = (text: string, protocols: readonly string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol) && /^[^:]+:\/\//.test(text);

const urlRule = (protocols: readonly string[]): string =>
  `must be a URL of ${protocols.map((p) => `${p}//`).join(' or ')}`;

export const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine((text) => isUrl(text, protocols) && new URL(text).hostname !== '', `${urlRule(protocols)} with a host`);

/** The public URL of the server; links append their path to it. */
export const publicUrl = url(['http:', 'https:']).refine((text) => {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === '' && password === '' && !/[?#]/.test(text);
}, 'must be a URL without a user, a query or a fragment');

const DATABASE_PROTOCOLS = ['postgres:', 'postgresql:'];
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * A PostgreSQL URL. Reports what the driver would detect only on connecting, or misread. Messages never contain the
 * value, which has a password.
 */
export const databaseUrl = z.string().superRefine((text, context) => {
  const fault = (message: string): void => context.addIssue({ code: 'custom', message });
  if (!isUrl(text, DATABASE_PROTOCOLS)) return fault(urlRule(DATABASE_PROTOCOLS));
  const { username, password, pathname, searchParams } = new URL(text);
  if (![username, password, pathname].every(isDecodable))
    fault('has a % that is not followed by two hex digits: write it as %25');
  const mode = searchParams.get('sslmode');
  if (mode !== null && !TLS_MODES.includes(mode)) fault(`must have a sslmode of ${TLS_MODES.join(', ')}`);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name);
    const unreadable = file && findReadFault(file);
    if (unreadable) fault(`has a file in ${name} that cannot be read: ${unreadable}`);
  }
});

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A regular file that is readable at start. */
export const readableFile = z.string().superRefine((file, context) => {
  const fault = findReadFault(file);
  if (fault) context.addIssue({ code: 'custom', message: `cannot be read: ${fault}` });
});

function findReadFault(file: string): string | null {
  try {
    fs.accessSync(file, fs.constants.R_OK);
    return fs.statSync(file).isFile() ? null : `${file} is not a file`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Origins of web pages as in the Origin header, or `*` for any. */
export const origins = commaSeparatedList
  .pipe(z.array(z.string().refine(isOrigin, 'must have origins, such as https://console.example.org, or be *')))
  .transform((items) => items.map((item) => (item === '*' ? item : new URL(item).origin)));

function isOrigin(text: string): boolean {
  if (text === '*') return true;
  if (!URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return /^https?:$/.test(protocol) && text.toLowerCase().replace(/\/$/, '') === origin;
}

/** CIDRs, or single addresses. */
export const addressRanges = commaSeparatedList.pipe(
  z.array(z.string().refine(isAddressRange, 'must have CIDRs, such as 10.0.0.0/8')),
);

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...others] = text.split('/');
  const version = isIP(address);
  if (version === 0 || others.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Named ranges of Express's `trust proxy`. */
const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal'];

/** The value of Express's `trust proxy`: all, none, a number of proxies, or their addresses. */
export const trustedProxies = z.string().refine(
  (text) =>
    /^(true|false|\d{1,3})$/.test(text) ||
    text
      .split(',')
      .map((part) => part.trim())
      .every((part) => NAMED_RANGES.includes(part) || isAddressRange(part)),
  'must be true, false, a number of proxies, or their addresses',
);

/** The sender of mail: an address with or without a name. */
export const sender = z
  .string()
  .regex(/^([^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be an address, such as armature@example.org');

/** A private key for ES256. */
export const signingKey = z.string().refine((text) => {
  try {
    const { asymmetricKeyDetails } = createPrivateKey(unescapeLineBreaks(text));
    return asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}, 'must be a private key of the curve P-256 in PEM');

/** Secrets and keys (private or public) that signed tokens earlier. */
export const previousKeys = commaSeparatedList.pipe(
  z.array(
    z
      .string()
      .min(32, 'must have secrets of at least 32 characters')
      .refine((text) => !isPem(text) || canRead(text), 'has a key that is not in PEM format'),
  ),
);

/** A public or private key, as opposed to a shared secret. */
export const isPem = (key: string): boolean => key.startsWith('-----BEGIN ');

function canRead(pem: string): boolean {
  try {
    createPublicKey(unescapeLineBreaks(pem));
    return true;
  } catch {
    return false;
  }
}

/**
 * Environment variables hold one line: line breaks are written as
 * .
 */
export const unescapeLineBreaks = (pem: string): string => pem.replace(/\\n/g, '\n');

/** 32 bytes as 64 hex digits or as base64. */
export const key32 = z
  .string()
  .refine((text) => decodeKey(text)?.length === 32, 'must be 32 bytes as 64 hex digits or base64')
  .transform((text) => decodeKey(text) as Buffer);

function decodeKey(text: string): Buffer | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}
