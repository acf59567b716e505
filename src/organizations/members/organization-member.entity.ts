import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** That a user belongs to an organization; the role is a rank of `ROLES` (1 member, 5 admin, 6 owner). */
@Entity('organization_member')
export class OrganizationMember {
  @PrimaryColumn('uuid')
  organizationId!: string;

  @PrimaryColumn('uuid')
  userId!: string;

  @Column('smallint')
  role!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
