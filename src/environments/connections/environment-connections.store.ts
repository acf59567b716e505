import { Injectable } from '@nestjs/common';
import { MappingStore } from '../../core/database/mapping.store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EnvironmentConnection } from './environment-connection.entity.js';

@Injectable()
export class EnvironmentConnectionsStore extends MappingStore<EnvironmentConnection> {
  constructor(unit: UnitOfWork) {
    super(unit, EnvironmentConnection, 'environment_connection', { left: 'environment', right: 'connection' });
  }
}
