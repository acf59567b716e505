import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { Outbound } from '../core/outbound/outbound.js';
import type { Connection } from './connection.entity.js';
import { CredentialsService } from './credentials/credentials.service.js';
import type { ConnectionKind } from './kinds/connection-kind.js';
import { ConnectionKinds } from './kinds/connection-kinds.js';

type Json = Record<string, unknown>;

/** Joins connections with their credentials: checks what a user entered by its kind and keeps the secret apart. */
@Injectable()
export class ConnectionSecrets {
  constructor(
    private readonly kinds: ConnectionKinds,
    private readonly credentials: CredentialsService,
    private readonly outbound: Outbound,
  ) {}

  /** @throws InvalidRequest when the kind's schemas or the outbound guard refuse */
  async accept(
    name: string,
    metadata: Json,
    secret: Json | null,
  ): Promise<{ kind: ConnectionKind; metadata: Json; secret: Json | null }> {
    const kind = this.kinds.of(name);
    const normal = kind.normalize?.(metadata, secret) ?? { metadata, secret };
    this.kinds.check(kind, normal.metadata, normal.secret);
    for (const address of kind.addresses?.(normal.metadata) ?? []) await this.outbound.check(address, 'connection');
    return { kind, ...normal };
  }

  /** The credential of a new connection: the one that is named, one made of the secret, or none. */
  async credentialFor(
    actor: Actor,
    connection: Connection,
    id: string | null | undefined,
    secret: Json | null,
  ): Promise<string | null> {
    if (secret) return (await this.credentials.createFor(actor, connection, secret)).id;
    return id ? this.ofSameOrganization(actor, connection, id) : null;
  }

  /** The credential after a change, or undefined when it stays: a new secret goes into the credential there is. */
  async changedCredential(
    actor: Actor,
    connection: Connection,
    id: string | null | undefined,
    secret: Json | null,
  ): Promise<string | null | undefined> {
    if (id === null && !secret) return null;
    const named = id ? await this.ofSameOrganization(actor, connection, id) : undefined;
    const current = named ?? connection.credentialId;
    if (!secret) return named;
    if (!current) return this.credentialFor(actor, connection, null, secret);
    await this.credentials.update(actor, current, { secret });
    return named;
  }

  /** The secret of a connection in clear, with the revision that moves whenever it changes. */
  async reveal(connection: Connection): Promise<{ secret: Json | null; revision: string }> {
    if (!connection.credentialId) return { secret: null, revision: `${connection.revision}` };
    const { secret, revision } = await this.credentials.reveal(connection.credentialId);
    return { secret, revision: `${connection.revision}.${connection.credentialId}.${revision}` };
  }

  private async ofSameOrganization(actor: Actor, connection: Connection, id: string): Promise<string> {
    const credential = await this.credentials.get(actor, id);
    return this.credentials.mustBeOf(credential, connection.organizationId).id;
  }
}
