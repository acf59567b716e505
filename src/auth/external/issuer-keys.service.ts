import { Injectable, Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { Env } from '../../core/config/env.js';
import { RemoteFailure } from '../../core/errors/app-error.js';
import { Outbound } from '../../core/outbound/outbound.service.js';

/** A key that is unknown is looked for again at most this often, so that made-up key ids do not become requests. */
const COOLDOWN_MS = 5_000;
/** A key that the issuer took back is forgotten within this time. */
const CACHE_MAX_AGE_MS = 600_000;
/** Issuers have a few keys, some with chains of certificates. */
const MAX_RESPONSE_BYTES = 128 * 1024;
const MAX_KEYS = 100;

const jsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
});

/** What is read of OpenID Connect Discovery 1.0, section 3. */
const discoverySchema = jsonText.pipe(z.object({ issuer: z.string(), jwks_uri: z.url() }));

/** What is read of a JSON Web Key Set (RFC 7517, section 5). */
const keySetSchema = jsonText.pipe(z.object({ keys: z.array(z.unknown()).max(MAX_KEYS) }));

/** The keys of the OpenID Connect issuer, found through its discovery document and followed as they rotate. */
@Injectable()
export class IssuerKeysService {
  private readonly logger = new Logger(IssuerKeysService.name);
  private keys: Promise<JWTVerifyGetKey> | null = null;
  private failedAt = -Infinity;

  constructor(
    private readonly outbound: Outbound,
    private readonly env: Env,
  ) {}

  /** Finds the key of a token, for `jwtVerify`. @throws RemoteFailure when the issuer cannot be asked */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    this.keys ??= this.discover();
    const keys = await this.keys.catch((error: unknown) => {
      this.keys = null;
      throw error;
    });
    return keys(header, token);
  };

  private async discover(): Promise<JWTVerifyGetKey> {
    const issuer = this.env.OIDC_ISSUER ?? '';
    const answer = await this.fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const found = discoverySchema.safeParse(answer.toString());
    if (!found.success) throw this.failed('its discovery document is not one');
    if (found.data.issuer !== issuer) throw this.failed(`its discovery document is of ${found.data.issuer}`);
    return createRemoteJWKSet(new URL(found.data.jwks_uri), {
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: CACHE_MAX_AGE_MS,
      [customFetch]: async (url) => new Response(await this.fetchKeys(url)),
    });
  }

  private async fetchKeys(url: string): Promise<string> {
    const answer = (await this.fetch(url)).toString();
    if (!keySetSchema.safeParse(answer).success) throw this.failed(`${url} answers no set of at most ${MAX_KEYS} keys`);
    return answer;
  }

  /** The operator chose the issuer, so it may stand on a private network; the guard holds for it otherwise. */
  private async fetch(url: string): Promise<Buffer> {
    if (Date.now() - this.failedAt < COOLDOWN_MS) throw issuerUnreachable('it just failed');
    const options = { policy: 'connection', redirects: 0, timeoutMs: 5_000, maxBytes: MAX_RESPONSE_BYTES } as const;
    const answer = await this.outbound.fetch(url, options).catch((error: unknown) => {
      throw this.failed(error instanceof Error ? error.message : String(error));
    });
    if (answer.status !== 200) throw this.failed(`${url} answers ${answer.status}`);
    return answer.bytes;
  }

  private failed(reason: string): RemoteFailure {
    this.failedAt = Date.now();
    this.logger.warn(`the keys of ${this.env.OIDC_ISSUER} cannot be read: ${reason}`);
    return issuerUnreachable(reason);
  }
}

const issuerUnreachable = (reason: string): RemoteFailure =>
  new RemoteFailure('ISSUER_UNREACHABLE', 'the OpenID Connect issuer could not be asked for its keys', {
    remedy: 'Try again in a moment; if it goes on, tell the operator.',
    cause: new Error(reason),
  });
