import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** One sign-in of a user: a family of refresh tokens, revoked as a whole. */
@Entity('session')
@Index('session_of_user', ['userId'])
export class Session {
  @PrimaryColumn('uuid')
  id!: string;

  @ForeignKey('User')
  @Column('uuid')
  userId!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  endedAt!: Date | null;
}

/** A refresh token of a session, by its hash; it can be used once. */
@Entity('refresh_token')
@Index('refresh_token_session', ['sessionId'])
export class RefreshToken {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @ForeignKey('Session', { onDelete: 'CASCADE' })
  @Column('uuid')
  sessionId!: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  usedAt!: Date | null;
}
