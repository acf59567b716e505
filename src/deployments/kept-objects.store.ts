import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { Deployment } from './deployment.entity.js';
import { KeptObjectsRecord } from './kept-objects.entity.js';
import type { KeptObject } from './plan/kept-objects.js';

/** The objects that deployments left on clusters and that no label identifies. Written as the system. */
@Injectable()
export class KeptObjectsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Some may be gone from the cluster by now. */
  async find(
    { designId, environmentId }: Pick<Deployment, 'designId' | 'environmentId'>,
    connectionId: string,
  ): Promise<KeptObject[]> {
    const found = await this.records.findOneBy({ designId, environmentId, connectionId });
    return found?.objects ?? [];
  }

  /** Replaces what is known of the place; called before anything is deleted there, so that a crash loses nothing. */
  async save(
    { designId, environmentId, organizationId }: Pick<Deployment, 'designId' | 'environmentId' | 'organizationId'>,
    connectionId: string,
    objects: KeptObject[],
  ): Promise<void> {
    const place = { designId, environmentId, connectionId };
    if (objects.length === 0) await this.records.delete(place);
    else
      await this.records.upsert({ ...place, organizationId, objects }, ['designId', 'connectionId', 'environmentId']);
  }

  private get records() {
    return this.unit.manager.getRepository(KeptObjectsRecord);
  }
}
