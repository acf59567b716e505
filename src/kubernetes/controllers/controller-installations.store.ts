import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { ControllerInstallation } from './controller-installation.entity.js';

/** The installations of controllers; callers check permissions. */
@Injectable()
export class ControllerInstallationsStore extends Store<ControllerInstallation> {
  constructor(unit: UnitOfWork) {
    super(unit, ControllerInstallation, 'controller_installation');
  }

  find(connectionId: string, name: string): Promise<ControllerInstallation | null> {
    return this.getOne(this.of(connectionId).andWhere('controller_installation.name = :name', { name }));
  }

  get(id: string): Promise<ControllerInstallation | null> {
    return this.getOne(this.createQueryBuilder().where('controller_installation.id = :id', { id }));
  }

  /** The installation, locked until the end of the unit of work. */
  lock(id: string): Promise<ControllerInstallation | null> {
    const rows = this.createQueryBuilder().where('controller_installation.id = :id', { id });
    return this.getOne(rows.setLock('pessimistic_write'));
  }

  /** The installations of a connection that may have objects on the cluster. */
  listInUse(connectionId: string): Promise<ControllerInstallation[]> {
    return this.getMany(
      this.of(connectionId).andWhere(
        `(controller_installation.pending OR controller_installation.objects <> '[]'::jsonb)`,
      ),
    );
  }

  /** Inserts the record unless it exists. */
  async insertOnce(installation: ControllerInstallation): Promise<void> {
    const { id, organizationId, connectionId, name, requestedBy } = installation;
    await this.unit.manager.query(
      `INSERT INTO controller_installation (id, organization_id, connection_id, name, target, pending, requested_by)
       VALUES ($1, $2, $3, $4, 'disabled', false, $5) ON CONFLICT (connection_id, name) DO NOTHING`,
      [id, organizationId, connectionId, name, requestedBy],
    );
  }

  private of(connectionId: string) {
    return this.createQueryBuilder().where('controller_installation.connection_id = :connectionId', { connectionId });
  }
}
