import { Injectable } from '@nestjs/common';
import { Vault } from '../../core/crypto/vault.service.js';
import { NotFound } from '../../core/errors/app-error.js';
import { ConnectionKindRegistry } from '../kinds/connection-kind.registry.js';
import type { Credential } from './credential.entity.js';
import { CredentialsStore } from './credentials.store.js';

type Json = Record<string, unknown>;
/** Judges a secret by one use of its credential. @throws InvalidRequest when it is of no use there */
type SecretCheck = (credentialId: string, secret: Json) => Promise<void>;
type SealedRecord = Pick<Credential, 'id' | 'type' | 'organizationId'>;

/** What credentials keep: checked by the kinds that use it, sealed, and opened for calling the other side only. */
@Injectable()
export class CredentialSecretsService {
  private readonly checks: SecretCheck[] = [];

  constructor(
    private readonly credentials: CredentialsStore,
    private readonly kinds: ConnectionKindRegistry,
    private readonly vault: Vault,
  ) {}

  /** Adds a check of every secret that is about to be sealed; those who use credentials bring theirs. */
  registerCheck(check: SecretCheck): void {
    this.checks.push(check);
  }

  /** What a user entered, in the form that is kept. @throws InvalidRequest when it is of no use to the type */
  normalize(type: string, entered: Json): Promise<Json> {
    return this.kinds.normalizeSecret(this.kinds.get(type), entered, '/secret');
  }

  /** Seals what a kind has taken. @throws InvalidRequest when a check refuses it */
  async seal({ id, organizationId }: SealedRecord, secret: Json): Promise<Buffer> {
    for (const check of this.checks) await check(id, secret);
    return this.vault.seal(organizationId, JSON.stringify(secret), sealContext(id));
  }

  /** The secret in clear; it goes nowhere else. `revision` moves whenever it changes. */
  async reveal(id: string): Promise<{ secret: Json; revision: number }> {
    const found = await this.credentials.findSealed(id);
    if (!found) throw new NotFound('credential', id);
    const text = await this.vault.open(found.secret, sealContext(id));
    return { secret: JSON.parse(text.toString()) as Json, revision: found.revision };
  }
}

/** What the sealed secret is bound to; the rotation of keys knows it as well. */
const sealContext = (id: string): string => `credential ${id}`;
