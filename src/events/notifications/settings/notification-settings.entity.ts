import { Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { PreferenceOverrides } from '../notification-preferences.js';

/** How a user is told of events, as far as they chose it. */
@Entity('notification_settings')
export class NotificationSettings {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  @Column('jsonb', { default: {} })
  categories: PreferenceOverrides = {};

  /** An IANA time zone. */
  @Column('text', { default: 'UTC' })
  timezone = 'UTC';

  /** The local time of the daily digest, as HH:MM. */
  @Column('text', { default: '08:00' })
  digestAt = '08:00';

  /** Nothing of these is told. */
  @Column('uuid', { array: true, default: [] })
  mutedWorkspaces: string[] = [];

  /** 0 while the user has chosen nothing. */
  @Column('integer', { default: 0 })
  revision = 0;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
