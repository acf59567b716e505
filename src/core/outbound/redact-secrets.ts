import { AppError, RemoteFailure } from '../errors/app-error.js';

/** Shorter words are not redacted, because they would match everywhere. */
const MIN_LENGTH = 6;

/**
 * Redacts every word of the secret in the text: plain, and as HTTP, URLs and JSON encode it.
 * @param sent text that the caller sent: its words are kept, because redacting them would confirm a guess of the
 * secret
 */
export function redactSecrets(text: string, secret: object | null, sent = ''): string {
  const words = secretWords(secret).filter((word) => word.length >= MIN_LENGTH && !sent.includes(word));
  return words.sort((a, b) => b.length - a.length).reduce((left, word) => left.replaceAll(word, '[redacted]'), text);
}

/**
 * Converts an error of a remote system, which may repeat what it received. Redacts the secret from its message and
 * drops the cause.
 */
export function toRemoteFailure(error: unknown, secret: object | null): RemoteFailure {
  if (!(error instanceof AppError) || (error.status < 500 && error.code !== 'OUTBOUND_REFUSED')) throw error;
  const { code, message, remedy, status } = error;
  return new RemoteFailure(code, redactSecrets(message, secret), { remedy, timedOut: status === 504 });
}

function secretWords(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...afterScheme(value)].flatMap(formsOf);
  if (typeof value !== 'object' || value === null) return [];
  const { username, password } = value as { username?: unknown; password?: unknown };
  const basic =
    typeof username === 'string'
      ? [Buffer.from(`${username}:${typeof password === 'string' ? password : ''}`).toString('base64')]
      : [];
  return [...basic, ...Object.values(value).flatMap(secretWords)];
}

const SCHEME = /^[a-z-]+ +(\S+)$/i;

/** The token of a header such as `Bearer <token>`, which may be repeated without the scheme. */
const afterScheme = (text: string): string[] => SCHEME.exec(text)?.slice(1) ?? [];

function formsOf(word: string): string[] {
  const json = JSON.stringify(word).slice(1, -1);
  const url = new URLSearchParams({ word }).toString().slice('word='.length);
  return [word, Buffer.from(word).toString('base64'), json, json.replaceAll('/', '\\/'), url];
}
