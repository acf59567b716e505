import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import jwt, { type JwtPayload } from 'jsonwebtoken';
import { z } from 'zod';
import { Env } from '../../core/config/env.js';
import { AppError, RemoteFailure, Unauthenticated } from '../../core/errors/app-error.js';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { isObject } from '../../core/json/json.js';
import { decodeUnverified } from '../tokens/json-web-token.js';
import { type ExternalClaims, parseClaims } from './external-claims.js';
import { type IssuerEndpoints, IssuerKeysService } from './issuer-keys.service.js';

const SKEW_SECONDS = 60;
const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 128 * 1024;

/** The fields of a token response (OpenID Connect Core 1.0, section 3.1.3.3) that are used. */
const tokenResponseSchema = z.object({ id_token: z.string(), access_token: z.string() });

/** What binds a sign-in to the browser that started it. */
export interface SignInAttempt {
  state: string;
  nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  verifier: string;
}

/** Signs users in at the issuer by the authorization code flow with PKCE. */
@Injectable()
export class IssuerSignInService {
  private readonly logger = new Logger(IssuerSignInService.name);

  constructor(
    private readonly issuer: IssuerKeysService,
    private readonly outbound: Outbound,
    private readonly env: Env,
  ) {}

  get isConfigured(): boolean {
    return this.env.OIDC_CLIENT_ID !== undefined;
  }

  /** Where the browser is sent to. @throws RemoteFailure */
  async getAuthorizationUrl({ state, nonce, verifier }: SignInAttempt, redirectUri: string): Promise<string> {
    const url = new URL((await this.issuer.findEndpoints()).authorization);
    const parameters = {
      response_type: 'code',
      client_id: this.env.OIDC_CLIENT_ID ?? '',
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.toString();
  }

  /** Exchanges the code of a sign-in for the claims of its user. @throws Unauthenticated, RemoteFailure */
  async redeem(code: string, { nonce, verifier }: SignInAttempt, redirectUri: string): Promise<ExternalClaims> {
    const endpoints = await this.issuer.findEndpoints();
    const tokens = await this.exchange(endpoints, code, verifier, redirectUri);
    const payload = await this.verify(tokens.id_token, nonce);
    // Many issuers put the address into the ID token only when it is asked for by other means.
    const more = payload['email'] === undefined ? await this.readUserInfo(endpoints, tokens.access_token, payload) : {};
    const claims = parseClaims({ ...more, ...payload }, this.env.OIDC_TRUST_EMAIL);
    if ('fault' in claims) throw this.refuse(`the claims cannot be kept: ${claims.fault}`);
    return claims;
  }

  private async exchange(
    { token, takesSecretInBody }: IssuerEndpoints,
    code: string,
    verifier: string,
    redirectUri: string,
  ): Promise<z.infer<typeof tokenResponseSchema>> {
    const { OIDC_CLIENT_ID: id = '', OIDC_CLIENT_SECRET: secret } = this.env;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const inBody = secret === undefined || takesSecretInBody;
    const body = new URLSearchParams({
      ...form,
      ...(inBody ? { client_id: id, ...(secret && { client_secret: secret }) } : {}),
    });
    const basic = Buffer.from([id, secret ?? ''].map(encodeURIComponent).join(':')).toString('base64');
    const { status, text } = await this.call(token, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(inBody ? {} : { authorization: `Basic ${basic}` }),
      },
      body: body.toString(),
    });
    if (status >= 500) throw issuerFailed(`the token endpoint responds with ${status}`);
    const found = tokenResponseSchema.safeParse(parseJson(text));
    if (status !== 200 || !found.success) throw this.refuse(`the issuer gives no token for the code (${status})`);
    return found.data;
  }

  /** Checks an ID token (OpenID Connect Core 1.0, section 3.1.3.7). */
  private async verify(token: string, nonce: string): Promise<JwtPayload> {
    const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: audience = '' } = this.env;
    const header = decodeUnverified(token)?.header;
    const key = header && header.crit === undefined ? await this.issuer.find(header) : undefined;
    if (!key) throw this.refuse('no key of the issuer verifies the ID token');
    let payload: JwtPayload | string;
    try {
      payload = jwt.verify(token, key, {
        issuer,
        audience,
        nonce,
        algorithms: ['RS256', 'PS256', 'ES256'],
        clockTolerance: SKEW_SECONDS,
      });
    } catch (error) {
      throw this.refuse(`the ID token is not valid: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (typeof payload === 'string' || payload.exp === undefined || !payload.sub)
      throw this.refuse('the ID token has no claim exp or sub');
    const party = payload['azp'] as unknown;
    if (party !== undefined && party !== audience) throw this.refuse('the ID token is for another client (azp)');
    return payload;
  }

  /** Claims of the same user that the ID token does not have. */
  private async readUserInfo({ userinfo }: IssuerEndpoints, token: string, { sub }: JwtPayload): Promise<object> {
    if (!userinfo) return {};
    const { status, text } = await this.call(userinfo, { headers: { authorization: `Bearer ${token}` } });
    const claims = parseJson(text);
    return status === 200 && isObject(claims) && claims['sub'] === sub ? claims : {};
  }

  /** The operator chose the issuer, so a private network is allowed. */
  private async call(
    url: string,
    request: { method?: 'POST'; headers: Record<string, string>; body?: string },
  ): Promise<{ status: number; text: string }> {
    const limits = { policy: 'connection', redirects: 0, timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES } as const;
    try {
      const { status, bytes } = await this.outbound.fetch(url, { ...request, ...limits });
      return { status, text: bytes.toString() };
    } catch (error) {
      throw issuerFailed(error instanceof AppError ? error.message : String(error));
    }
  }

  private refuse(reason: string): Unauthenticated {
    this.logger.warn(`a sign-in at ${this.env.OIDC_ISSUER} is refused: ${reason}`);
    return new Unauthenticated('the issuer did not confirm the sign-in', { remedy: 'Sign in again.' });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const issuerFailed = (reason: string): RemoteFailure =>
  new RemoteFailure('ISSUER_UNREACHABLE', 'the OpenID Connect issuer could not be asked', {
    remedy: 'Try again in a moment; if it persists, inform the operator.',
    cause: new Error(reason),
  });
