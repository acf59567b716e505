import { Injectable } from '@nestjs/common';
import { runAsSystem } from '../core/database/row-security.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { Deployment } from './deployment.entity.js';
import { KeptObjectsRecord } from './kept-objects.entity.js';
import { type KeptObject, uniqueObjects } from './plan/kept-objects.js';
import type { KeptRecords } from './plan/stateful-set-claims.js';

type DeployedPlace = Pick<Deployment, 'designId' | 'environmentId'>;

/** The objects that deployments left on clusters and that no label identifies. Written as the system. */
@Injectable()
export class KeptObjectsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** What is recorded of a place, of which some may be gone from the cluster by now, and of all others. */
  async read(place: DeployedPlace, connectionId: string): Promise<Required<KeptRecords>> {
    const { designId, environmentId } = place;
    const found = await this.records.findOneBy({ designId, environmentId, connectionId });
    return {
      kept: found?.objects ?? [],
      findOthers: (uids) => runAsSystem('deployment', () => this.findOthers(place, connectionId, uids)),
    };
  }

  /** Those of the uids that are recorded for another place, also of another organization or connection to the same cluster. */
  private async findOthers(
    { designId, environmentId }: DeployedPlace,
    connectionId: string,
    uids: string[],
  ): Promise<ReadonlySet<string>> {
    const found = await this.unit.manager.query<{ uid: string }[]>(
      `SELECT DISTINCT one->>'uid' AS uid FROM kept_objects k, jsonb_array_elements(k.objects) one
        WHERE jsonb_path_query_array(k.objects, '$[*].uid') ?| $4 AND one->>'uid' = ANY ($4)
          AND (k.design_id, k.environment_id, k.connection_id) <> ($1, $2, $3)`,
      [designId, environmentId, connectionId, uids],
    );
    return new Set(found.map(({ uid }) => uid));
  }

  /** Adds to what is known of the place. */
  async add(
    place: DeployedPlace & Pick<Deployment, 'organizationId'>,
    connectionId: string,
    objects: KeptObject[],
  ): Promise<void> {
    if (objects.length === 0) return;
    const { kept } = await this.read(place, connectionId);
    await this.save(place, connectionId, uniqueObjects([...kept, ...objects]));
  }

  /** Replaces what is known of the place; called before anything is deleted there, so that a crash loses nothing. */
  async save(
    { designId, environmentId, organizationId }: DeployedPlace & Pick<Deployment, 'organizationId'>,
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
