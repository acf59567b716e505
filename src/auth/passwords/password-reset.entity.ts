import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** An email that lets the owner of an account set a new password. */
@Entity('password_reset')
@Index('password_reset_user', ['userId'])
export class PasswordReset {
  /** SHA-256 of the token in the email. */
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @ForeignKey('User')
  @Column('uuid')
  userId!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
