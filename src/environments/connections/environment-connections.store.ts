import { Injectable } from '@nestjs/common';
import { MappingStore } from '../../core/database/mapping.store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EnvironmentConnection } from './environment-connection.entity.js';

const CONNECTION_EXISTS = 'EXISTS (SELECT FROM connection c WHERE c.id = t.connection_id AND c.deleted_at IS NULL)';
export const ENVIRONMENT_EXISTS =
  'EXISTS (SELECT FROM environment e WHERE e.id = t.environment_id AND e.deleted_at IS NULL)';

@Injectable()
export class EnvironmentConnectionsStore extends MappingStore<EnvironmentConnection> {
  constructor(unit: UnitOfWork) {
    super(unit, EnvironmentConnection, 'environment_connection', { left: 'environment_id', right: 'connection_id' });
  }

  restoreByEnvironment(environmentId: string, deletedAt: Date): Promise<void> {
    return this.restoreAll('left', environmentId, deletedAt, CONNECTION_EXISTS);
  }
}
