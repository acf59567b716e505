import type { Actor } from '../core/access/actor.js';
import { DomainEvent } from '../core/events/domain-event.js';
import type { ConnectionStatus } from './connection-status.js';
import type { Connection } from './connection.entity.js';

/** Base class of the events of a connection. */
export abstract class ConnectionEvent extends DomainEvent {
  readonly category = 'connection';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly connection: Connection,
    metadata: Record<string, unknown> = {},
  ) {
    super(
      actor,
      { id: connection.id, organizationId: connection.organizationId },
      { name: connection.name, kind: connection.kind, ...metadata },
    );
  }

  get description(): string {
    return `Connection ${this.connection.name} ${this.verb}`;
  }
}

export class ConnectionCreated extends ConnectionEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class ConnectionUpdated extends ConnectionEvent {
  readonly action = 'updated';
  protected readonly verb = 'was changed';
}

export class ConnectionStatusChanged extends ConnectionEvent {
  readonly action = 'status_changed';
  protected readonly verb: string;

  constructor(actor: Actor, connection: Connection, from: ConnectionStatus) {
    super(actor, connection, { from, to: connection.status });
    this.verb = `is ${connection.status}`;
  }
}

/** The connection was restored after a deletion at `deletedAt`. */
export class ConnectionRestored extends ConnectionStatusChanged {
  constructor(
    actor: Actor,
    connection: Connection,
    readonly deletedAt: Date,
  ) {
    super(actor, connection, 'deleted');
  }
}

/** Listeners veto it while the connection is in use. */
export class ConnectionDeleted extends ConnectionEvent {
  readonly action = 'deleted';
  protected readonly verb = 'was deleted';
}
