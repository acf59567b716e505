import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The read status that a user set on one notification. It overrides `NotificationPosition`. */
@Entity('notification_mark')
@Index('notification_mark_age', ['createdAt'])
export class NotificationMark {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  /** No foreign key, because events have their own retention. */
  @PrimaryColumn('uuid')
  eventId!: string;

  @Column('boolean')
  read!: boolean;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** The position up to which a user has read a feed: that of an organization, or of the installation. */
@Entity('notification_position')
export class NotificationPosition {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  @PrimaryColumn('uuid')
  feed!: string;

  /** The number of the last read event. */
  @Column('bigint')
  position!: string;
}
