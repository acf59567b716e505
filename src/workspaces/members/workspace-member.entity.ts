import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The role of a user in a workspace; a rank of `ROLES` (2 viewer, 3 editor, 4 admin). */
@Entity('workspace_member')
@Index('workspace_member_user', ['userId'])
export class WorkspaceMember {
  @ForeignKey('Workspace')
  @PrimaryColumn('uuid')
  workspaceId!: string;

  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  @Column('smallint')
  role!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
