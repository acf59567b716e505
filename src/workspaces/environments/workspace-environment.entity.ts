import { Column, Entity } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** That an environment is assigned to a workspace; it may be assigned to several. */
@Entity('workspace_environment')
export class WorkspaceEnvironment extends TenantEntity {
  @Column('uuid')
  workspaceId!: string;

  @Column('uuid')
  environmentId!: string;
}
