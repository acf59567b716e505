import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Access } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { changedFields } from '../core/database/changed-fields.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import { RecordGate } from '../core/records/record-gate.js';
import { Precondition } from '../core/rest/precondition.js';
import { hasReadOnlyField } from '../core/rest/read-only-fields.js';
import type { Connection } from './connection.entity.js';
import {
  ConnectionDeleted,
  ConnectionRestored,
  ConnectionStatusChanged,
  ConnectionUpdated,
} from './connection.events.js';
import type { ConnectionChange } from './connection.inputs.js';
import { connectionPolicy } from './connection.policy.js';
import { type ConnectionStatus, isUnreached, canTransition, assertTransition } from './connection-status.js';
import { ConnectionView } from './connection.view.js';
import { ConnectionListsService } from './connection-lists.service.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import { ConnectionsStore } from './connections.store.js';

/** Connection records; each change is published as an event. */
@Injectable()
export class ConnectionsService extends RecordGate<Connection, typeof connectionPolicy> {
  constructor(
    private readonly connections: ConnectionsStore,
    private readonly secrets: ConnectionSecretsService,
    lists: ConnectionListsService,
    access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {
    super(access, {
      name: 'connection',
      policy: connectionPolicy,
      store: connections,
      getProtectedRecord: ({ id, organizationId }) => ({ type: 'connection', id, organizationId }),
      toView: async (connection, input, actor) =>
        hasReadOnlyField(input, 'environments')
          ? ConnectionView.fromListed({ connection, environments: await lists.listEnvironments(actor, connection.id) })
          : ConnectionView.fromEntity(connection),
    });
  }

  async update(actor: Actor, id: string, input: ConnectionChange, match = Precondition.none): Promise<Connection> {
    const current = await this.getAuthorized(actor, id, 'update');
    const { metadata, secret } = await this.validateChange(current, input);
    const named = metadata ? { ...current, metadata } : current;
    const check = await this.secrets.check(actor, named, input.credential_id, secret);
    return this.unit.run(async () => {
      const connection = await this.getForChange(actor, id, input, match);
      const from = connection.status;
      if (input.status) assertTransition(from, input.status);
      const credentialId = await this.secrets.resolveForUpdate(
        actor,
        metadata ? { ...connection, metadata } : connection,
        input.credential_id,
        secret,
        check,
      );
      const status = input.status === 'deleted' ? undefined : input.status;
      const { name, type, sub_type: subType } = input;
      const sealed = metadata && (await this.secrets.sealMetadata(connection, metadata));
      const isSame =
        metadata && isDeepStrictEqual(metadata, await this.secrets.unmask(connection, connection.metadata));
      const changed = changedFields(connection, { name, type, subType, credentialId, ...(isSame ? {} : sealed) });
      await this.connections.change(connection, { ...changed, status });
      if (Object.keys(changed).length > 0) await this.events.publish(new ConnectionUpdated(actor, connection));
      if (connection.status !== from) await this.events.publish(new ConnectionStatusChanged(actor, connection, from));
      return input.status === 'deleted' ? this.remove(actor, connection) : connection;
    });
  }

  /** Records the result of a call to the remote system: the status, if that transition is allowed, and the reported metadata. */
  async recordProbe(
    actor: Actor,
    id: string,
    shown: ConnectionStatus,
    facts: Record<string, unknown>,
  ): Promise<Connection> {
    return this.unit.run(async () => {
      const connection = this.orNotFound(id, await this.connections.lock(actor, id));
      const { status: from, metadata } = connection;
      const status = canTransition(from, shown) ? shown : from;
      const changed = Object.entries(facts).some(([key, value]) => metadata[key] !== value);
      if (from === status && !changed) return connection;
      await this.connections.update(connection, { status, metadata: { ...metadata, ...facts } });
      if (from !== status) await this.events.publish(new ConnectionStatusChanged(actor, connection, from));
      return connection;
    });
  }

  /** Records that the remote system responded: a connection that was not reached before becomes `connected`. */
  async markReached(actor: Actor, id: string): Promise<void> {
    await this.unit.run(async () => {
      const connection = await this.connections.lock(actor, id);
      if (!connection || !isUnreached(connection.status)) return;
      const { status: from } = connection;
      await this.connections.update(connection, { status: 'connected' });
      await this.events.publish(new ConnectionStatusChanged(actor, connection, from));
    });
  }

  /** Deletes a connection and its mappings; its credential stays. Listeners refuse while something is deployed through it. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<Connection> {
    return this.unit.run(async () => this.remove(actor, await this.getForUpdate(actor, id, 'delete', match)));
  }

  /** Restores a deleted connection and its mappings, with the status `registered`. Has no effect on a connection that is not deleted. */
  async restore(actor: Actor, id: string): Promise<Connection> {
    return this.unit.run(async () => {
      const connection = await this.getForRestore(actor, id);
      const { deletedAt } = connection;
      if (!deletedAt) return connection;
      await this.connections.update(connection, {
        status: 'registered',
        deletedAt: null,
        ...(await this.connections.findRestorableReferences(connection)),
      });
      await this.events.publish(new ConnectionRestored(actor, connection, deletedAt));
      return connection;
    });
  }

  /** The validated metadata and secret of a change; empty when the change contains neither. */
  private async validateChange(
    current: Connection,
    change: ConnectionChange,
  ): Promise<{ metadata?: Record<string, unknown>; secret: Record<string, unknown> | null }> {
    if (change.metadata === undefined && !change.credential_secret) return { secret: null };
    const entered = change.metadata === undefined ? current.metadata : (change.metadata ?? {});
    const wanted = await this.secrets.unmask(current, entered);
    return this.secrets.validate(current.kind, wanted, change.credential_secret ?? null);
  }

  private async remove(actor: Actor, connection: Connection): Promise<Connection> {
    await this.connections.update(connection, { status: 'deleted', deletedAt: new Date() });
    await this.events.publish(new ConnectionDeleted(actor, connection));
    return connection;
  }
}
