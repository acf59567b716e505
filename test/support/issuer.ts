import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';

export const CLIENT_SECRET = 'the secret of every client';
/** The client with which people sign in in a browser. */
export const BROWSER_CLIENT = 'console';
export type Algorithm = 'RS256' | 'PS256' | 'ES256';

/**
 * A real OpenID Connect issuer on loopback. Its users are clients of it, who get tokens with the claims that a test says; in a browser
 * the person whom the test says signs in without being asked.
 */
export class Issuer {
  /** How often its keys were asked for. */
  asked = 0;
  /** The URIs to which it sends browsers back. */
  redirectUris: string[] = [];
  /** Who signs in in a browser; nobody, who cancels. */
  person: string | null = null;
  private readonly claims = new Map<string, object>();
  private readonly kept = new Map<string, AdapterPayload>();
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
      if (request.url?.startsWith('/interaction/'))
        issuer.interact(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
      else void issuer.provider.callback()(request, response);
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
      adapter: (model: string) => (model === 'Client' ? this.clients() : this.records(model)),
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...this.claims.get(id) }) }),
      claims: { email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      cookies: { keys: [kid] },
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

  /** Who signs in in a browser from now on. */
  signIn(subject: string | null, claims: object = {}): void {
    this.person = subject;
    if (subject !== null) this.claims.set(subject, claims);
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

  /** Answers what the issuer would ask the person. */
  private async interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await this.provider.interactionDetails(request, response);
    const finish = (result: object): Promise<void> =>
      this.provider.interactionFinished(request, response, result as never, { mergeWithLastSubmission: true });
    if (this.person === null) return finish({ error: 'access_denied' });
    if (prompt.name === 'login') return finish({ login: { accountId: this.person } });
    const grant = new this.provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope('openid email profile');
    return finish({ consent: { grantId: await grant.save() } });
  }

  /** Every name is a client. */
  private clients(): Adapter {
    const find = (id: string) =>
      Promise.resolve({
        client_id: id,
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: 'client_secret_post' as const,
        ...(id === BROWSER_CLIENT
          ? {
              grant_types: ['authorization_code'],
              redirect_uris: this.redirectUris,
              response_types: ['code' as const],
            }
          : { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }),
      });
    return { ...NOTHING, find };
  }

  private records(model: string): Adapter {
    const find = (id: string) => Promise.resolve(this.kept.get(`${model} ${id}`));
    return {
      ...NOTHING,
      find,
      findByUid: (uid) =>
        Promise.resolve([...this.kept].find(([key, each]) => key.startsWith(`${model} `) && each.uid === uid)?.[1]),
      upsert: (id, payload) => Promise.resolve(void this.kept.set(`${model} ${id}`, payload)),
      consume: async (id) => void Object.assign((await find(id)) ?? {}, { consumed: seconds() }),
      destroy: (id) => Promise.resolve(void this.kept.delete(`${model} ${id}`)),
    };
  }
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

const nothing = (): Promise<undefined> => Promise.resolve(undefined);
const NOTHING: Adapter = {
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  upsert: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};
