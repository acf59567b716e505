import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { InvalidRequest } from '../core/errors/app-error.js';
import { toPointer } from '../core/json/json-pointer.js';
import { callAddressIn } from '../core/outbound/outbound-refused.js';
import { Outbound } from '../core/outbound/outbound.service.js';
import type { Connection } from './connection.entity.js';
import { CredentialSecretsService } from './credentials/credential-secrets.service.js';
import { CredentialsService } from './credentials/credentials.service.js';
import type { ConnectionKind } from './kinds/connection-kind.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';

type Json = Record<string, unknown>;

/** Associates connections with credentials: validates input by kind and stores the secret separately. */
@Injectable()
export class ConnectionSecretsService {
  constructor(
    private readonly kinds: ConnectionKindRegistry,
    private readonly credentials: CredentialsService,
    private readonly kept: CredentialSecretsService,
    private readonly outbound: Outbound,
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

  /** The credential of a new connection: the named one, a new one with the validated secret, or none. */
  async resolveForCreate(
    actor: Actor,
    connection: Connection,
    id: string | null | undefined,
    secret: Json | null,
  ): Promise<string | null> {
    if (id && secret)
      throw InvalidRequest.forField(
        '/credential_secret',
        'cannot be combined with credential_id',
        'Send one of the two.',
      );
    if (secret) return (await this.credentials.createFor(actor, connection, secret)).id;
    return id ? this.resolveExisting(actor, connection, id) : null;
  }

  /**
   * The credential after a change, or undefined when it stays. A secret is written to the existing credential, and so for all
   * connections that share it; with `credential_id: null`, a new credential is created for this connection.
   */
  async resolveForUpdate(
    actor: Actor,
    connection: Connection,
    id: string | null | undefined,
    secret: Json | null,
  ): Promise<string | null | undefined> {
    const current = connection.credentialId;
    if (!secret) return id && id !== current ? this.resolveExisting(actor, connection, id) : id;
    if (current && id !== null && (id === undefined || id === current)) {
      await this.credentials.replaceSecret(actor, current, secret);
      return undefined;
    }
    return this.resolveForCreate(actor, connection, id, secret);
  }

  /** The decrypted secret of a connection in the form its kind uses, with a revision that changes whenever the secret changes. */
  async reveal(connection: Connection): Promise<{ secret: Json | null; revision: string }> {
    const { credentialId, kind, metadata } = connection;
    if (!credentialId) return { secret: null, revision: `${connection.revision}` };
    const { secret, revision } = await this.kept.reveal(credentialId);
    return {
      secret: await this.kinds.resolveSecret(this.kinds.get(kind), metadata, secret),
      revision: `${connection.revision}.${credentialId}.${revision}`,
    };
  }

  private async resolveExisting(
    actor: Actor,
    { organizationId, kind, metadata }: Connection,
    id: string,
  ): Promise<string> {
    await this.credentials.getOfOrganizationForUpdate(actor, id, organizationId);
    const { secret } = await this.kept.reveal(id);
    await this.kinds.resolveSecret(this.kinds.get(kind), metadata, secret);
    return id;
  }
}
