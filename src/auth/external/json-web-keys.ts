import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { JwtHeader } from 'jsonwebtoken';
import { z } from 'zod';

/** Key requirements of RFC 7518, sections 3.3 and 3.5. */
const MIN_RSA_BITS = 2048;

/** The fields of a JSON Web Key (RFC 7517, section 4) that are used; OpenSSL parses its numbers. */
const keySchema = z.looseObject({
  kty: z.enum(['RSA', 'EC']),
  kid: z.string().optional(),
  alg: z.string().optional(),
  use: z.string().optional(),
  key_ops: z.array(z.unknown()).optional(),
});

/** A key of an issuer that verifies signatures. */
export class JsonWebKeyEntry {
  private constructor(
    private readonly kid: string | undefined,
    private readonly algorithms: readonly string[],
    readonly key: KeyObject,
  ) {}

  /** @returns null for a key that cannot verify signatures here, because a set may contain keys for other uses and of other types */
  static parse(value: unknown): JsonWebKeyEntry | null {
    const read = keySchema.safeParse(value);
    if (!read.success) return null;
    const { kid, alg, use = 'sig', key_ops: operations = ['verify'] } = read.data;
    const key = importKey(read.data);
    if (!key || use !== 'sig' || !operations.includes('verify')) return null;
    const possible = listAlgorithms(key);
    return new JsonWebKeyEntry(kid, alg === undefined ? possible : possible.filter((each) => each === alg), key);
  }

  /** Whether a token with this header may have been signed with the key. */
  matches({ kid, alg }: JwtHeader): boolean {
    return this.algorithms.includes(alg) && (kid === undefined || kid === this.kid);
  }
}

function importKey(key: JsonWebKey): KeyObject | null {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return null;
  }
}

function listAlgorithms({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string[] {
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= MIN_RSA_BITS ? ['RS256', 'PS256'] : [];
  return details?.namedCurve === 'prime256v1' ? ['ES256'] : [];
}
