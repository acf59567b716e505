import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { Vault } from '../core/crypto/vault.service.js';
import { Conflict, InvalidRequest } from '../core/errors/app-error.js';
import type { JsonObject } from '../core/json/json.js';
import { toPointer } from '../core/json/json-pointer.js';
import { type HiddenMembers, maskMembers, unmaskMembers } from '../core/json/secret-members.js';
import { callAddressIn } from '../core/outbound/outbound-refused.js';
import { Outbound } from '../core/outbound/outbound.service.js';
import type { Connection } from './connection.entity.js';
import { CredentialSecretsService } from './credentials/credential-secrets.service.js';
import { CredentialsService } from './credentials/credentials.service.js';
import type { ConnectionKind } from './kinds/connection-kind.js';
import { ConnectionsStore } from './connections.store.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';

type Json = Record<string, unknown>;

/** Whether a kind can use the secret that a credential had at a revision. */
export interface CredentialCheck {
  revision: number;
  error?: InvalidRequest;
}

/** The context of the encryption of masked metadata; the rotation of keys uses the same. */
const sealContext = (id: string): string => `connection ${id}`;

/** Associates connections with credentials: validates input by kind and stores the secret separately. */
@Injectable()
export class ConnectionSecretsService {
  constructor(
    private readonly kinds: ConnectionKindRegistry,
    private readonly credentials: CredentialsService,
    private readonly kept: CredentialSecretsService,
    private readonly connections: ConnectionsStore,
    private readonly outbound: Outbound,
    private readonly vault: Vault,
  ) {}

  /** @throws InvalidRequest when the schemas of the kind or the outbound guard refuse the input */
  async validate(
    name: string,
    metadata: Json,
    secret: Json | null,
  ): Promise<{ kind: ConnectionKind; metadata: Json; secret: Json | null }> {
    const kind = this.kinds.get(name);
    const taken = await this.kinds.normalize(kind, metadata, secret);
    for (const address of kind.addresses?.(taken.metadata) ?? []) {
      const name = Object.keys(taken.metadata).find((key) => taken.metadata[key] === address) ?? '';
      await callAddressIn(toPointer('metadata', name), () => this.outbound.assertAllowed(address, 'connection'));
    }
    return { kind, ...taken };
  }

  /**
   * Whether a connection can use the secret of a credential that it names, or the new one of the credential that it has. It is asked
   * before the transaction that takes it, because large secrets are read by a worker.
   */
  async check(
    actor: Actor,
    {
      organizationId,
      kind,
      metadata,
      credentialId,
    }: Pick<Connection, 'organizationId' | 'kind' | 'metadata' | 'credentialId'>,
    id: string | null | undefined,
    secret: Json | null,
  ): Promise<CredentialCheck | undefined> {
    if (secret && credentialId && (id === undefined || id === credentialId))
      await this.kept.assertUsable(credentialId, secret);
    if (secret || !id || id === credentialId) return undefined;
    await this.credentials.getOfOrganization(actor, id, organizationId);
    const stored = await this.kept.reveal(id);
    try {
      await this.kinds.resolveSecret(this.kinds.get(kind), metadata, stored.secret);
      return { revision: stored.revision };
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      return { revision: stored.revision, error };
    }
  }

  /** The credential of a new connection: the named one, a new one with the validated secret, or none. */
  async resolveForCreate(
    actor: Actor,
    connection: Connection,
    id: string | null | undefined,
    secret: Json | null,
    check?: CredentialCheck,
  ): Promise<string | null> {
    if (id && secret)
      throw InvalidRequest.forField(
        '/credential_secret',
        'cannot be combined with credential_id',
        'Send one of the two.',
      );
    if (secret) return (await this.credentials.createFor(actor, connection, secret)).id;
    return id ? this.resolveExisting(actor, connection, id, check) : null;
  }

  /**
   * The credential after a change, or undefined when it stays. A secret is written to the existing credential, and so for all
   * connections that share it; with `credential_id: null`, a new credential is created for this connection.
   * @throws InvalidRequest SECRET_REQUIRED when a stored secret would go to a server that it has not served
   */
  async resolveForUpdate(
    actor: Actor,
    connection: Connection,
    id: string | null | undefined,
    secret: Json | null,
    check?: CredentialCheck,
  ): Promise<string | null | undefined> {
    const current = connection.credentialId;
    if (!secret && id && id !== current) return this.resolveExisting(actor, connection, id, check);
    if (!secret) {
      if (current && id !== null) await this.assertServed(current, connection);
      return id;
    }
    if (current && id !== null && (id === undefined || id === current)) {
      await this.credentials.replaceSecret(actor, current, secret);
      return undefined;
    }
    return this.resolveForCreate(actor, connection, id, secret);
  }

  /**
   * The metadata with what is masked in it, and the decrypted secret of a connection in the form its kind uses, with a revision that
   * changes whenever one of them changes.
   */
  async reveal(connection: Connection): Promise<{ metadata: Json; secret: Json | null; revision: string }> {
    const { credentialId, kind } = connection;
    const metadata = await this.unmask(connection, connection.metadata);
    if (!credentialId) return { metadata, secret: null, revision: `${connection.revision}` };
    const { secret, revision } = await this.kept.reveal(credentialId);
    return {
      metadata,
      secret: await this.kinds.resolveSecret(this.kinds.get(kind), metadata, secret),
      revision: `${connection.revision}.${credentialId}.${revision}`,
    };
  }

  /** The metadata as it is stored: secrets in it masked, and sealed beside it. */
  async sealMetadata(
    { id, organizationId }: Pick<Connection, 'id' | 'organizationId'>,
    metadata: Json,
  ): Promise<Pick<Connection, 'metadata' | 'metadataSecrets'>> {
    const { shown, hidden } = maskMembers(metadata as JsonObject);
    const isEmpty = Object.keys(hidden).length === 0;
    return {
      metadata: shown as Json,
      metadataSecrets: isEmpty ? null : await this.vault.seal(organizationId, JSON.stringify(hidden), sealContext(id)),
    };
  }

  /** The metadata of an input, in which what is masked as a reader sees it has its stored value. */
  async unmask({ id, metadata: shown }: Connection, metadata: Json): Promise<Json> {
    const sealed = await this.connections.findMetadataSecrets(id);
    if (!sealed) return metadata;
    const hidden = JSON.parse((await this.vault.open(sealed, sealContext(id))).toString()) as HiddenMembers;
    return unmaskMembers(metadata as JsonObject, shown as JsonObject, hidden) as Json;
  }

  private async resolveExisting(
    actor: Actor,
    connection: Connection,
    id: string,
    check: CredentialCheck | undefined,
  ): Promise<string> {
    const credential = await this.credentials.getOfOrganizationForUpdate(actor, id, connection.organizationId);
    if ((credential.enteredBy ?? credential.owner) !== actor.userId) await this.assertServed(id, connection);
    if (check?.error) throw check.error;
    if (check?.revision !== credential.revision)
      throw new Conflict('CONCURRENT_CHANGE', 'the credential was changed at the same time', {
        remedy: 'Send the request again.',
      });
    return id;
  }

  /** Requires that the secret of a credential is sent to the servers of a connection already, by this one or another. */
  private async assertServed(credentialId: string, connection: Connection): Promise<void> {
    const wanted = this.destinationOf(connection);
    if (wanted.origins.length === 0) return;
    const users = await this.connections.findByCredential(credentialId);
    const served = users.map((each) => this.destinationOf(each));
    const foreign = wanted.origins.find(
      (origin) =>
        !served.some(({ origins, authorities }) => origins.includes(origin) && authorities === wanted.authorities),
    );
    if (foreign === undefined) return;
    const known = served.some(({ origins }) => origins.includes(foreign));
    throw InvalidRequest.secretRequired(
      '/credential_secret',
      `must be sent again: the credential has not been used for ${foreign}${known ? ' with these certificates' : ''} yet`,
      'Send credential_secret with the secret for this server, or credential_id null for none.',
    );
  }

  /** The servers that the secret of a connection is sent to, and the certificates that decide who may appear as one of them. */
  private destinationOf({ kind: name, metadata }: Connection): { origins: string[]; authorities: string | null } {
    const kind = this.kinds.get(name);
    const named = kind.addresses?.(metadata) ?? [];
    const all = named.length === 0 && kind.defaultAddress ? [kind.defaultAddress] : named;
    return {
      origins: [...new Set(all.map((address) => (URL.canParse(address) ? new URL(address).origin : address)))],
      authorities: kind.authorities?.(metadata)?.replace(/\s+/g, '') ?? null,
    };
  }
}
