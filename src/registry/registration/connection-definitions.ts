import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ConnectionKind } from '../../connections/kinds/connection-kind.js';
import { ConnectionKinds } from '../../connections/kinds/connection-kinds.js';
import { isOutage } from '../../core/database/outage.js';
import { Notifications } from '../../core/database/notifications.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { JsonObject } from '../../formats/located.js';
import type { TaskRunner } from '../../formats/task.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import type { ConnectionDefinition } from '../definition.js';
import { digestOf } from '../digest.js';
import { ConnectionDefinitionRecord } from './connection-definition.entity.js';
import { faultsBySchema } from './definition-schema.js';
import { type Outcome, outcomeOf } from './outcome.js';

const CHANNEL = 'armature_connection_kinds';

type Told = { kind: string; name: string; outcome: Outcome };

/** Kinds of connections that packages define. They are known on every replica; those that the server has itself stay as they are. */
@Injectable()
export class ConnectionDefinitions implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ConnectionDefinitions.name);
  private stop: () => void = () => undefined;

  constructor(
    private readonly kinds: ConnectionKinds,
    private readonly notifications: Notifications,
    private readonly unit: UnitOfWork,
    private readonly tasks: WorkerPool,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const stops = [
      this.notifications.listen(CHANNEL, () => this.reload()),
      this.notifications.onReconnect(() => this.reload()),
    ];
    this.stop = () => stops.forEach((stop) => stop());
    await this.load();
  }

  onApplicationShutdown(): void {
    this.stop();
  }

  /** What taking these would do. */
  async compare(definitions: ConnectionDefinition[]): Promise<Told[]> {
    if (definitions.length === 0) return [];
    const known = new Map((await this.rows.find()).map((each) => [each.kind, each.digest]));
    return definitions.map((definition) => {
      const digest = known.get(definition.kind);
      const outcome = outcomeOf(digest === undefined ? undefined : { digest, deletedAt: null }, digestOf(definition));
      return { kind: definition.kind, name: definition.name, outcome };
    });
  }

  async take(definitions: ConnectionDefinition[]): Promise<Told[]> {
    const told = await this.compare(definitions);
    const changed = definitions.filter((_, index) => told[index]?.outcome !== 'unchanged');
    if (changed.length === 0) return told;
    await this.unit.run(async () => {
      for (const definition of changed)
        await this.rows.save({ kind: definition.kind, digest: digestOf(definition), definition });
      await this.unit.manager.query('SELECT pg_notify($1, $2)', [CHANNEL, '']);
    });
    await this.load();
    return told;
  }

  /** After an outage it is called again, when the channel is listened to again. */
  private reload(): void {
    this.load().catch((error: unknown) => {
      if (!isOutage(error)) this.logger.warn(error, 'the kinds of connections were not read again');
    });
  }

  private async load(): Promise<void> {
    const records = await this.rows.find();
    this.kinds.define(records.map(({ definition }) => kindOf(definition, this.tasks)));
  }

  private get rows() {
    return this.unit.manager.getRepository(ConnectionDefinitionRecord);
  }
}

function kindOf(
  { kind, type, subType, connectionSchema, credentialSchema }: ConnectionDefinition,
  tasks: TaskRunner,
): ConnectionKind {
  return {
    name: kind,
    type: type || 'platform',
    subType: subType || 'management',
    ...(connectionSchema ? { metadata: connectionSchema } : {}),
    ...(credentialSchema ? { secret: credentialSchema } : {}),
    judge: (schema, value) => faultsBySchema(schema as JsonObject, value as JsonObject, tasks),
  };
}
