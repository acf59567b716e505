import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

/** Counts the changes of the registry, so that the ETag of a full list can be compared without reading it. */
@Injectable()
export class RegistryRevisionStore {
  constructor(private readonly unit: UnitOfWork) {}

  async getCurrent(): Promise<string> {
    const [row] = await this.unit.manager.query<{ revision: string }[]>('SELECT revision FROM registry_revision');
    return row?.revision ?? '0';
  }

  /** Records that the open unit of work changes the registry. It runs last, so that concurrent changes wait as briefly as possible. */
  incrementOnCommit(): void {
    this.unit.beforeCommit(async () => {
      await this.unit.manager.query('UPDATE registry_revision SET revision = revision + 1');
    });
  }
}
