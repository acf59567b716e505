import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The role of everyone in a team in a workspace; a rank of `ROLES` (2 viewer, 3 editor, 4 admin). */
@Entity('workspace_team')
@Index('workspace_team_team', ['teamId'])
export class WorkspaceTeam {
  @ForeignKey('Workspace')
  @PrimaryColumn('uuid')
  workspaceId!: string;

  @ForeignKey('Team')
  @PrimaryColumn('uuid')
  teamId!: string;

  @Column('smallint')
  role!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
