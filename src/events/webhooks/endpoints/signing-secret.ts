import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Generates a secret in the format of Standard Webhooks. */
export const generateSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * The headers of Standard Webhooks 1.0.
 *
 * @param id stays the same over all attempts of a message
 * @param at the time of this attempt, which receivers compare with their clock
 * @param secrets all that are valid: there is one signature for each, separated by spaces
 */
export function signatureHeaders(
  id: string,
  at: Date,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000).toString();
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', decodeSigningSecret(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${digest.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Decodes the key of a secret. */
const decodeSigningSecret = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');
