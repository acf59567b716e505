import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as text that fits a URL and a header. */
export const generateSecretToken = (): string => randomBytes(32).toString('base64url');

/** What is kept of a secret token. It is random, so that a plain hash cannot be guessed back. */
export const hashSecretToken = (token: string): Buffer => createHash('sha256').update(token).digest();
