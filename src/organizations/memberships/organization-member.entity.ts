import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The membership of a user in an organization; the role is a rank of `ROLES` (1 member, 5 admin, 6 owner). */
@Entity('organization_member')
@Index('organization_member_user', ['userId'])
export class OrganizationMember {
  @ForeignKey('Organization')
  @PrimaryColumn('uuid')
  organizationId!: string;

  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  @Column('smallint')
  role!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
