import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { Silence } from '../silences.js';
import type { PreferenceOverrides } from '../notification-preferences.js';

/** The notification settings of a user. Users without changes have no row. */
@Entity('notification_settings')
@Index('notification_settings_realtime', ['userId'], { where: `realtime <> '{}'::text[]` })
export class NotificationSettings {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  /** The id is that of the user. */
  get id(): string {
    return this.userId;
  }

  @Column('jsonb', { default: {} })
  categories: PreferenceOverrides = {};

  /** An IANA time zone. */
  @Column('text', { default: 'UTC' })
  timezone = 'UTC';

  /** The local time of the daily digest, as HH:MM. */
  @Column('text', { default: '08:00' })
  digestAt = '08:00';

  /** Workspaces without notifications. */
  @Column('uuid', { array: true, default: [] })
  mutedWorkspaces: string[] = [];

  /** When categories and workspaces had no notifications. */
  @Column('jsonb', { default: [] })
  silences: Silence[] = [];

  /** The categories with immediate mail, except those whose mail goes to the owner of the record only. */
  @Column('text', { array: true, default: [] })
  realtime: string[] = [];

  /** The signing key of unsubscribe links. */
  @Column('bytea', { nullable: true, select: false })
  unsubscribeKey!: Buffer | null;

  /** 0 without changes. */
  @Column('integer', { default: 0 })
  revision = 0;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
