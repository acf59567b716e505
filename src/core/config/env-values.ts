import { z } from 'zod';

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A length of time: plain seconds, or a number with s, m, h or d ("15m"). Read as seconds. */
export const duration = z
  .string()
  .regex(/^[1-9]\d*[smhd]?$/, 'must be seconds, or a number with s, m, h or d, such as 15m')
  .transform((text) => parseInt(text, 10) * (UNITS[text.slice(-1)] ?? 1));

/** As a duration, at most so many seconds; 0 is none. */
export const delay = (mostSeconds: number) =>
  z
    .string()
    .regex(/^(0|[1-9]\d*)[sm]?$/, 'must be seconds, or a number with s or m, such as 5s')
    .transform((text) => parseInt(text, 10) * (UNITS[text.slice(-1)] ?? 1))
    .refine((seconds) => seconds <= mostSeconds, `must be at most ${mostSeconds} s`);

/** A positive whole number within the given bounds. */
export const integer = (min = 1, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be between ${min} and ${max}`);

/** A comma separated list; an empty value is the empty list. */
export const commaSeparatedList = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

/** The name of a container image. */
export const image = z.string().regex(/^[\w][\w.:/@-]{0,499}$/, 'must be the name of an image');

export const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

export const onOff = z.enum(['on', 'off'], 'must be on or off').transform((text) => text === 'on');

export const url = (protocols: string[]) =>
  z.string().refine(
    (text) => {
      try {
        return protocols.includes(new URL(text).protocol);
      } catch {
        return false;
      }
    },
    `must be a URL of ${protocols.map((p) => `${p}//`).join(' or ')}`,
  );

/** 32 bytes as 64 hex digits or as base64. */
export const key32 = z
  .string()
  .refine((text) => decodeKey(text)?.length === 32, 'must be 32 bytes as 64 hex digits or base64')
  .transform((text) => decodeKey(text) as Buffer);

function decodeKey(text: string): Buffer | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}
