import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

/** Counts the changes of the registry, so that an answer of everything can be compared without making it. */
@Injectable()
export class RegistryRevisionStore {
  constructor(private readonly unit: UnitOfWork) {}

  async getCurrent(): Promise<string> {
    const [row] = await this.unit.manager.query<{ revision: string }[]>('SELECT revision FROM registry_revision');
    return row?.revision ?? '0';
  }

  /** The open unit of work changes the registry. It counts last, so that changes wait for each other only as briefly as they can. */
  incrementOnCommit(): void {
    this.unit.beforeCommit(async () => {
      await this.unit.manager.query('UPDATE registry_revision SET revision = revision + 1');
    });
  }
}
