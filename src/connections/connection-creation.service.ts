import { Injectable } from '@nestjs/common';
import { Access } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { newId } from '../core/database/base.entity.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { Connection } from './connection.entity.js';
import { ConnectionCreated } from './connection.events.js';
import type { NewConnection } from './connection.inputs.js';
import { connectionPolicy } from './connection.policy.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import { ConnectionsStore } from './connections.store.js';

/** Creates connections, with a credential of their own where a secret comes with them. */
@Injectable()
export class ConnectionCreationService {
  constructor(
    private readonly connections: ConnectionsStore,
    private readonly secrets: ConnectionSecretsService,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async create(actor: Actor, input: NewConnection, fingerprint: string | null = null): Promise<Connection> {
    const organization = await this.organizations.resolve(actor, input.organization_id);
    await this.access.authorize(actor, connectionPolicy.create, {
      type: 'organization',
      id: organization.id,
      organizationId: organization.id,
    });
    const { kind, metadata, secret } = await this.secrets.validate(
      input.kind,
      input.metadata ?? {},
      input.credential_secret ?? null,
    );
    const named = { organizationId: organization.id, kind: input.kind, metadata, credentialId: null };
    const check = await this.secrets.check(actor, named, input.credential_id, secret);
    return this.unit.run(async () => {
      const connection: Connection = Object.assign(new Connection(), {
        ...{ id: newId(), organizationId: organization.id },
        name: input.name,
        kind: input.kind,
        type: input.type ?? kind.type,
        subType: input.sub_type ?? kind.subType,
        status: input.status ?? 'registered',
        metadata,
        metadataSecrets: null,
        credentialId: null,
        owner: actor.userId,
        fingerprint,
      });
      connection.credentialId = await this.secrets.resolveForCreate(
        actor,
        connection,
        input.credential_id,
        secret,
        check,
      );
      Object.assign(connection, await this.secrets.sealMetadata(connection, metadata));
      await this.connections.insert(connection);
      await this.events.publish(new ConnectionCreated(actor, connection));
      return connection;
    });
  }
}
