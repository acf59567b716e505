import { Column, Entity, PrimaryColumn, CreateDateColumn } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** Members of an organization who are given roles together. */
@Entity('team')
export class Team extends TenantEntity {
  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;
}

/** That a user is in a team: put there by an admin, or by the groups that their issuer says they are in. */
@Entity('team_member')
export class TeamMember {
  @PrimaryColumn('uuid')
  teamId!: string;

  @PrimaryColumn('uuid')
  userId!: string;

  @Column('text', { default: 'manual' })
  source!: 'manual' | 'groups';

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
