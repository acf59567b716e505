import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as text that fits a URL and a header. */
export const generateSecretToken = (): string => randomBytes(32).toString('base64url');

/** The stored hash of a secret token. Tokens are random, so a plain hash is enough. */
export const hashSecretToken = (token: string): Buffer => createHash('sha256').update(token).digest();
