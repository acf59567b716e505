import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Adapter } from 'oidc-provider';

const CLIENT_SECRET = 'the secret of every client';
export type Algorithm = 'RS256' | 'PS256' | 'ES256';

/** A real OpenID Connect issuer on loopback. Its users are clients of it, who get tokens with the claims that a test says. */
export class Issuer {
  /** How often its keys were asked for. */
  asked = 0;
  private readonly claims = new Map<string, object>();
  private provider!: Provider;
  private key!: { kid: string; algorithm: Algorithm; sign: CryptoKey; shown: JWK };

  private constructor(
    private readonly server: Server,
    readonly url: string,
    private readonly audience: string,
  ) {}

  static async start(audience: string): Promise<Issuer> {
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/jwks')) issuer.asked++;
      void issuer.provider.callback()(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const issuer = new Issuer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, audience);
    await issuer.rotate();
    return issuer;
  }

  /** The issuer has another key from now on, and no longer the one before. */
  async rotate(algorithm: Algorithm = 'ES256'): Promise<void> {
    const pair = await generateKeyPair(algorithm, { extractable: true });
    const kid = randomUUID();
    this.key = { kid, algorithm, sign: pair.privateKey, shown: await exportJWK(pair.publicKey) };
    const jwk = { ...(await exportJWK(pair.privateKey)), kid, alg: algorithm, use: 'sig' };
    this.provider = new Provider(this.url, {
      adapter: (model: string) => adapterOf(model),
      jwks: { keys: [jwk] },
      enabledJWA: { idTokenSigningAlgValues: [algorithm] },
      clientAuthMethods: ['client_secret_post'],
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => this.audience,
          getResourceServerInfo: () => ({
            scope: '',
            audience: this.audience,
            accessTokenTTL: 300,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: algorithm } },
          }),
        },
      },
      clientDefaults: { id_token_signed_response_alg: algorithm },
      extraTokenClaims: (_context, token) => this.claims.get((token as { clientId?: string }).clientId ?? '') as never,
    });
  }

  /** A token as the issuer itself makes it for a subject. */
  async token(subject: string, claims: object = {}): Promise<string> {
    this.claims.set(subject, claims);
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: subject,
      client_secret: CLIENT_SECRET,
    });
    const response = await fetch(`${this.url}/token`, { method: 'POST', body });
    const { access_token: token, ...rest } = (await response.json()) as { access_token?: string };
    if (!token) throw new Error(`the issuer gave no token: ${JSON.stringify(rest)}`);
    return token;
  }

  /** A token with the key of the issuer, or another, that the issuer itself would not make. */
  forge(
    claims: JWTPayload = {},
    { key = this.key.sign, header = {} }: { key?: CryptoKey | Uint8Array; header?: object } = {},
  ) {
    const { kid, algorithm } = this.key;
    return new SignJWT({ iss: this.url, aud: this.audience, sub: 'forged', exp: seconds() + 300, ...claims })
      .setProtectedHeader({ alg: algorithm, kid, ...header })
      .sign(key);
  }

  get publicKey(): JWK {
    return this.key.shown;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

/** Every name is a client; nothing is kept, for tokens that are JWTs need not be. */
function adapterOf(model: string): Adapter {
  const nothing = (): Promise<undefined> => Promise.resolve(undefined);
  const client = (id: string) =>
    Promise.resolve({
      client_id: id,
      client_secret: CLIENT_SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post' as const,
    });
  return {
    find: model === 'Client' ? client : nothing,
    findByUid: nothing,
    findByUserCode: nothing,
    upsert: nothing,
    consume: nothing,
    destroy: nothing,
    revokeByGrantId: nothing,
  };
}
