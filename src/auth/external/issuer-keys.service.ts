import type { KeyObject } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { JwtHeader } from 'jsonwebtoken';
import { z } from 'zod';
import { Env } from '../../core/config/env.js';
import { RemoteFailure } from '../../core/errors/app-error.js';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { JsonWebKeyEntry } from './json-web-keys.js';

/** Minimum interval between lookups of unknown keys, so that forged key ids do not cause requests. */
const COOLDOWN_MS = 5_000;
/** Maximum time until a key that the issuer revoked is dropped. */
const CACHE_MAX_AGE_MS = 600_000;
/** How long the last keys are used while the issuer cannot be reached. */
const LAST_KEYS_MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** Maximum size of the key set; issuers have few keys, some with certificate chains. */
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

/** The fields of OpenID Connect Discovery 1.0, section 3, that are used. */
const discoverySchema = jsonText.pipe(
  z.object({
    issuer: z.string(),
    jwks_uri: z.url(),
    authorization_endpoint: z.url().optional(),
    token_endpoint: z.url().optional(),
    userinfo_endpoint: z.url().optional(),
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  }),
);
type Discovery = z.infer<typeof discoverySchema>;

/** What a sign-in in a browser calls. */
export interface IssuerEndpoints {
  authorization: string;
  token: string;
  userinfo?: string;
  /** Whether the secret of a client is sent in the body rather than in a header. */
  takesSecretInBody: boolean;
}

/** The fields of a JSON Web Key Set (RFC 7517, section 5) that are used. */
const keySetSchema = jsonText.pipe(z.object({ keys: z.array(z.unknown()).max(MAX_KEYS) }));

/** The keys of the OpenID Connect issuer, found through its discovery document and refreshed as they rotate. */
@Injectable()
export class IssuerKeysService {
  private readonly logger = new Logger(IssuerKeysService.name);
  private keys: readonly JsonWebKeyEntry[] = [];
  private readAt = -Infinity;
  private keysUrl?: string;
  private endpoints?: { readAt: number; of: IssuerEndpoints };
  private reading: Promise<void> | null = null;
  private failedAt = -Infinity;
  private lastFault?: string;

  constructor(
    private readonly outbound: Outbound,
    private readonly env: Env,
  ) {
    if (env.isProduction && env.OIDC_ISSUER?.startsWith('http:'))
      this.logger.warn(
        `OIDC_ISSUER is ${env.OIDC_ISSUER}: whoever can change what this server reads there can sign in as everybody. Use https.`,
      );
  }

  /** The key that verifies a token with this header. @throws RemoteFailure when the issuer cannot be reached */
  async find(header: JwtHeader): Promise<KeyObject | undefined> {
    if (this.age > CACHE_MAX_AGE_MS)
      await this.refresh().catch((error: unknown) => {
        if (this.age > LAST_KEYS_MAX_AGE_MS) throw error;
      });
    const known = this.findKnown(header);
    if (known || this.age < COOLDOWN_MS) return known;
    await this.refresh();
    return this.findKnown(header);
  }

  /** @throws RemoteFailure when the issuer cannot be reached, or has no sign-in for browsers */
  async findEndpoints(): Promise<IssuerEndpoints> {
    if (!this.endpoints || performance.now() - this.endpoints.readAt > CACHE_MAX_AGE_MS) {
      const found = await this.discover();
      const { authorization_endpoint: authorization, token_endpoint: token, userinfo_endpoint: userinfo } = found;
      if (!authorization || !token) throw this.failed('its discovery document names no endpoint for authorization');
      const methods = found.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const takesSecretInBody = !methods.includes('client_secret_basic');
      this.endpoints = { readAt: performance.now(), of: { authorization, token, userinfo, takesSecretInBody } };
    }
    return this.endpoints.of;
  }

  /** Why the last keys are used although they should have been read again; undefined while the issuer answers. */
  get fault(): string | undefined {
    return this.lastFault !== undefined && this.age > CACHE_MAX_AGE_MS ? this.lastFault : undefined;
  }

  private get age(): number {
    return performance.now() - this.readAt;
  }

  /** Without `kid`, returns a key only if exactly one matches, because trying several would cost one verification each. */
  private findKnown(header: JwtHeader): KeyObject | undefined {
    const [found, ...others] = this.keys.filter((key) => key.matches(header));
    return others.length === 0 ? found?.key : undefined;
  }

  /** Reads the keys; concurrent callers share one request. */
  private refresh(): Promise<void> {
    this.reading ??= this.readKeys().finally(() => (this.reading = null));
    return this.reading;
  }

  private async readKeys(): Promise<void> {
    this.keysUrl ??= (await this.discover()).jwks_uri;
    const set = keySetSchema.safeParse((await this.fetch(this.keysUrl)).toString());
    if (!set.success) throw this.failed(`${this.keysUrl} answers no set of at most ${MAX_KEYS} keys`);
    const keys = set.data.keys.map((key) => JsonWebKeyEntry.parse(key)).filter((key) => key !== null);
    if (keys.length === 0) throw this.failed(`${this.keysUrl} answers no key that verifies tokens`);
    this.keys = keys;
    this.readAt = performance.now();
    this.lastFault = undefined;
  }

  private async discover(): Promise<Discovery> {
    const issuer = this.env.OIDC_ISSUER ?? '';
    const answer = await this.fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const found = discoverySchema.safeParse(answer.toString());
    if (!found.success) throw this.failed('its discovery document is not one');
    if (found.data.issuer !== issuer) throw this.failed(`its discovery document is of ${found.data.issuer}`);
    return found.data;
  }

  /** The operator chose the issuer, so a private network is allowed; otherwise the outbound guard applies. */
  private async fetch(url: string): Promise<Buffer> {
    if (performance.now() - this.failedAt < COOLDOWN_MS) throw issuerUnreachable('it just failed');
    const options = { policy: 'connection', redirects: 0, timeoutMs: 5_000, maxBytes: MAX_RESPONSE_BYTES } as const;
    const answer = await this.outbound.fetch(url, options).catch((error: unknown) => {
      throw this.failed(error instanceof Error ? error.message : String(error));
    });
    if (answer.status !== 200) throw this.failed(`${url} answers ${answer.status}`);
    return answer.bytes;
  }

  /** The next attempt reads the discovery document again, because the issuer may have moved the keys. */
  private failed(reason: string): RemoteFailure {
    this.keysUrl = undefined;
    this.failedAt = performance.now();
    this.lastFault = reason;
    const isKnown = this.keys.length > 0 && this.age <= LAST_KEYS_MAX_AGE_MS;
    const meanwhile = isKnown
      ? `; the last ones are used until ${new Date(Date.now() + LAST_KEYS_MAX_AGE_MS - this.age).toISOString()}`
      : '';
    this.logger.warn(`the keys of ${this.env.OIDC_ISSUER} cannot be read: ${reason}${meanwhile}`);
    return issuerUnreachable(reason);
  }
}

const issuerUnreachable = (reason: string): RemoteFailure =>
  new RemoteFailure('ISSUER_UNREACHABLE', 'the OpenID Connect issuer could not be asked for its keys', {
    remedy: 'Try again in a moment; if it persists, inform the operator.',
    cause: new Error(reason),
  });
