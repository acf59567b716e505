import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A letter that lets the owner of an account choose a new password. */
@Entity('password_reset')
@Index('password_reset_user', ['userId'])
export class PasswordReset {
  /** SHA-256 of the token in the letter. */
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @ForeignKey('User')
  @Column('uuid')
  userId!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
