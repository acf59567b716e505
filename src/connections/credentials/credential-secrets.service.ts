import { Injectable } from '@nestjs/common';
import { Vault } from '../../core/crypto/vault.service.js';
import { NotFound } from '../../core/errors/app-error.js';
import { ConnectionKindRegistry } from '../kinds/connection-kind.registry.js';
import type { Credential } from './credential.entity.js';
import { CredentialsStore } from './credentials.store.js';

type Json = Record<string, unknown>;
/** Validates a secret for one use of its credential. @throws InvalidRequest when it is unusable there */
type SecretCheck = (credentialId: string, secret: Json) => Promise<void>;
type SealedRecord = Pick<Credential, 'id' | 'type' | 'organizationId'>;

/** The secrets of credentials: validated by the kinds that use them, encrypted, and decrypted only to call the remote system. */
@Injectable()
export class CredentialSecretsService {
  private readonly checks: SecretCheck[] = [];

  constructor(
    private readonly credentials: CredentialsStore,
    private readonly kinds: ConnectionKindRegistry,
    private readonly vault: Vault,
  ) {}

  /** Registers a check that a secret must pass before it replaces another; modules that use credentials register theirs. */
  registerCheck(check: SecretCheck): void {
    this.checks.push(check);
  }

  /** Normalizes the input to its stored form. @throws InvalidRequest when it is unusable for the type */
  normalize(type: string, entered: Json): Promise<Json> {
    return this.kinds.normalizeSecret(this.kinds.get(type), entered, '/secret');
  }

  /** Whether those who use the credential can use this secret; asked before the transaction. @throws InvalidRequest if not */
  async assertUsable(id: string, secret: Json): Promise<void> {
    for (const check of this.checks) await check(id, secret);
  }

  /** Encrypts a secret that its kind has accepted. */
  seal({ id, organizationId }: SealedRecord, secret: Json): Promise<Buffer> {
    return this.vault.seal(organizationId, JSON.stringify(secret), sealContext(id));
  }

  /** The decrypted secret, which must not leave the server. `revision` changes whenever it changes. */
  async reveal(id: string): Promise<{ secret: Json; revision: number }> {
    const found = await this.credentials.findSealed(id);
    if (!found) throw new NotFound('credential', id);
    const text = await this.vault.open(found.secret, sealContext(id));
    return { secret: JSON.parse(text.toString()) as Json, revision: found.revision };
  }
}

/** The associated data of the encryption; key rotation uses it as well. */
const sealContext = (id: string): string => `credential ${id}`;
