import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** That a user marked one notification, which goes before how far they have read. */
@Entity('notification_mark')
@Index('notification_mark_age', ['createdAt'])
export class NotificationMark {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  /** Events are kept for a time of their own, so that nothing refers to them from here. */
  @PrimaryColumn('uuid')
  eventId!: string;

  @Column('boolean')
  read!: boolean;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** How far a user has read the events of one feed: that of an organization, or of the installation. */
@Entity('notification_position')
export class NotificationPosition {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  @PrimaryColumn('uuid')
  feed!: string;

  /** The number of the last event that is read. */
  @Column('bigint')
  position!: string;
}
