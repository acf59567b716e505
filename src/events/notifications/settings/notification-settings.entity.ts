import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { PreferenceOverrides } from '../notification-preferences.js';

/** How a user is notified of events, as far as they chose it. */
@Entity('notification_settings')
@Index('notification_settings_realtime', ['userId'], { where: `realtime <> '{}'::text[]` })
export class NotificationSettings {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  /** Each user has one. */
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

  /** The categories of which mail is sent at once, but for those whose mail goes to the owner only. */
  @Column('text', { array: true, default: [] })
  realtime: string[] = [];

  /** What links to unsubscribe are signed with. */
  @Column('bytea', { nullable: true, select: false })
  unsubscribeKey!: Buffer | null;

  /** 0 while the user has chosen nothing. */
  @Column('integer', { default: 0 })
  revision = 0;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
