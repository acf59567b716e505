import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** A team: members of an organization who are granted roles together. */
@Entity('team')
@Index('team_name', { synchronize: false })
@Index('team_search', { synchronize: false })
export class Team extends TenantEntity {
  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;
}

/** The membership of a user in a team: added by an admin, or by the groups of their issuer. */
@Entity('team_member')
@Index('team_member_user', ['userId'])
@Check('team_member_source_check', `source IN ('manual', 'groups')`)
export class TeamMember {
  @ForeignKey('Team')
  @PrimaryColumn('uuid')
  teamId!: string;

  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  @Column('text', { default: 'manual' })
  source!: 'manual' | 'groups';

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
