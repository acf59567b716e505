import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** The assignment of an environment to a workspace; it may be assigned to several. */
@Entity('workspace_environment')
@Index('workspace_environment_pair', ['workspaceId', 'environmentId'], { unique: true, where: 'deleted_at IS NULL' })
@Index('workspace_environment_other', ['environmentId'])
export class WorkspaceEnvironment extends TenantEntity {
  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @ForeignKey('Environment')
  @Column('uuid')
  environmentId!: string;
}
