import { ArmatureError } from './armature-error.js';
import type { SignIn, TokensView } from './generated/types.gen.js';
import type { Credentials, Transport } from './transport.js';

/** A person who signed in: a token that was refused is replaced. */
export class Session implements Credentials {
  readonly #transport: Transport;
  readonly #account: SignIn;
  #tokens: TokensView;
  #renewal?: Promise<void>;
  /** The password was refused: to try it again and again would lock the account. */
  #refusal?: ArmatureError;

  private constructor(transport: Transport, account: SignIn, tokens: TokensView) {
    this.#transport = transport;
    this.#account = account;
    this.#tokens = tokens;
  }

  /** @param transport without a token */
  static async open(transport: Transport, account: SignIn): Promise<Session> {
    return new Session(transport, account, await signIn(transport, account));
  }

  token(): string {
    return this.#tokens.access_token;
  }

  /** Once for all calls that were refused together. */
  renew(refused: string): Promise<void> {
    if (refused !== this.#tokens.access_token) return Promise.resolve();
    this.#renewal ??= this.#replace().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #replace(): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    const { refresh_token } = this.#tokens;
    try {
      this.#tokens = await post(this.#transport, '/api/auth/refresh', { refresh_token });
    } catch (error) {
      if (!(error instanceof ArmatureError) || error.status !== 401) throw error;
      this.#tokens = await signIn(this.#transport, this.#account).catch((refusal: unknown) => {
        if (refusal instanceof ArmatureError && refusal.status === 401) this.#refusal = refusal;
        throw refusal;
      });
    }
  }
}

function signIn(transport: Transport, account: SignIn): Promise<TokensView> {
  return post(transport, '/api/auth/login', account);
}

async function post(transport: Transport, path: string, body: object): Promise<TokensView> {
  return (await transport.send({ method: 'POST', path, body })).data as TokensView;
}
