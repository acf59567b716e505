import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ConnectionKind } from '../../connections/kinds/connection-kind.js';
import { ConnectionKindRegistry } from '../../connections/kinds/connection-kind.registry.js';
import { isDatabaseOutage } from '../../core/errors/database-outage.js';
import { PostgresNotifications } from '../../core/database/postgres-notifications.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { JsonObject } from '../../core/json/json.js';
import type { TaskRunner } from '../../core/workers/task.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import type { ConnectionDefinition } from '../../formats/definitions/definitions.js';
import { definitionDigest } from '../../formats/definitions/definition-digest.js';
import { ConnectionDefinitionRecord } from './connection-definition.entity.js';
import { findSchemaFaults } from './schema-validation-task.js';
import type { RegistrationOutcome } from '../entities/registry.events.js';
import { decideOutcome } from './registration-result.js';

const CHANNEL = 'armature_connection_kinds';

type ConnectionRegistration = { kind: string; name: string; outcome: RegistrationOutcome };

/** Kinds of connections that packages define. They are loaded on every replica; built-in kinds are not replaced. */
@Injectable()
export class ConnectionDefinitionsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ConnectionDefinitionsService.name);
  private stop: () => void = () => undefined;

  constructor(
    private readonly kinds: ConnectionKindRegistry,
    private readonly notifications: PostgresNotifications,
    private readonly unit: UnitOfWork,
    private readonly tasks: WorkerPool,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const stops = [
      this.notifications.subscribe(CHANNEL, () => this.reload()),
      this.notifications.onReconnect(() => this.reload()),
    ];
    this.stop = () => stops.forEach((stop) => stop());
    await this.load();
  }

  onApplicationShutdown(): void {
    this.stop();
  }

  /** The outcome of registering these, without doing it. */
  async compare(definitions: ConnectionDefinition[]): Promise<ConnectionRegistration[]> {
    if (definitions.length === 0) return [];
    const known = new Map((await this.rows.find()).map((each) => [each.kind, each.digest]));
    return definitions.map((definition) => {
      const digest = known.get(definition.kind);
      const outcome = decideOutcome(
        digest === undefined ? undefined : { digest, deletedAt: null },
        definitionDigest(definition),
      );
      return { kind: definition.kind, name: definition.name, outcome };
    });
  }

  async register(definitions: ConnectionDefinition[]): Promise<ConnectionRegistration[]> {
    const outcomes = await this.compare(definitions);
    const changed = definitions.filter((_, index) => outcomes[index]?.outcome !== 'unchanged');
    if (changed.length === 0) return outcomes;
    await this.unit.run(async () => {
      for (const definition of changed)
        await this.rows.save({ kind: definition.kind, digest: definitionDigest(definition), definition });
      await this.unit.manager.query('SELECT pg_notify($1, $2)', [CHANNEL, '']);
    });
    await this.load();
    return outcomes;
  }

  /** Called when the channel is listened to again after an outage. */
  private reload(): void {
    this.load().catch((error: unknown) => {
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'the kinds of connections could not be reloaded');
    });
  }

  private async load(): Promise<void> {
    const records = await this.rows.find();
    this.kinds.define(records.map(({ definition }) => toConnectionKind(definition, this.tasks)));
  }

  private get rows() {
    return this.unit.manager.getRepository(ConnectionDefinitionRecord);
  }
}

function toConnectionKind(
  { kind, type, subType, connectionSchema, credentialSchema }: ConnectionDefinition,
  tasks: TaskRunner,
): ConnectionKind {
  return {
    name: kind,
    type: type || 'platform',
    subType: subType || 'management',
    ...(connectionSchema ? { metadata: connectionSchema } : {}),
    ...(credentialSchema ? { secret: credentialSchema } : {}),
    validate: (schema, value) => findSchemaFaults(schema as JsonObject, value as JsonObject, tasks),
  };
}
