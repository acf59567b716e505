import { createHash, randomBytes } from 'node:crypto';

/** Generates 256 random bits, encoded for URLs and headers. */
export const generateSecretToken = (): string => randomBytes(32).toString('base64url');

/** Hashes a secret token for storage. Tokens are random, so a plain SHA-256 suffices. */
export const hashSecretToken = (token: string): Buffer => createHash('sha256').update(token).digest();
