import { ObjectType } from '@nestjs/graphql';
import type { Page, PageEnvelope } from '../../../core/listing/page.js';
import { toPageEnvelope } from '../../../core/listing/page.js';
import {
  IntField,
  RecordField,
  RecordsField,
  TextField,
  TextsField,
  WordField,
} from '../../../core/schema/view-fields.js';
import { EVENT_STATUSES, type EventStatus, EventView } from '../../event.view.js';
import type { SeenEvent } from '../../event.entity.js';

/** The limit of the count. */
export const MAX_UNREAD_COUNTED = 1_000;

const UNREAD_COUNT = `How many notifications the caller has not read; ${MAX_UNREAD_COUNTED} means that many or more.`;

/** An event of which the caller is notified, with its status as a notification. */
@ObjectType('Notification', { description: 'An event that the caller is notified of.' })
export class NotificationView extends EventView {
  static override fromSeenEvent(this: void, seen: SeenEvent): NotificationView {
    return EventView.fromSeenEvent(seen);
  }
}

/** A page of notifications, with the number of unread ones. */
export interface NotificationList extends Page<SeenEvent> {
  unread: number;
}

@ObjectType('NotificationPage', { description: 'One page of a list.' })
export class NotificationPage implements PageEnvelope {
  @IntField({ description: 'Page, counted from 0.' })
  page!: number;

  @IntField({ description: 'Records per page, as asked for.' })
  page_size!: number;

  @IntField({ description: 'Records in all.' })
  total_count!: number;

  @IntField({ description: UNREAD_COUNT })
  unread_count!: number;

  @TextField({
    nullable: true,
    optional: true,
    description: 'Present when the request has a cursor; null on the last page.',
  })
  next_cursor?: string | null;

  @RecordsField(() => NotificationView, { description: 'The records of this page.' })
  notifications!: NotificationView[];

  static fromList(this: void, list: NotificationList): NotificationPage {
    const envelope = toPageEnvelope(list, 'notifications', NotificationView.fromSeenEvent);
    return { ...envelope, unread_count: list.unread } as NotificationPage;
  }
}

/** The result of marking several notifications. */
export class MarkedNotificationsView {
  @WordField(EVENT_STATUSES, { rest: true })
  status!: EventStatus;

  @TextsField({ rest: true, optional: true, description: 'The sent ids that have the status now.' })
  ids?: string[];

  @IntField({ rest: true, description: UNREAD_COUNT })
  unread_count!: number;
}

/** A message to a subscriber. */
export interface NotificationNews {
  unread: number;
  seen: SeenEvent | null;
}

@ObjectType('NotificationMessage', { description: 'A notification, or that another number of them is unread.' })
export class NotificationMessageView {
  @IntField({ graphql: true, description: UNREAD_COUNT })
  unread_count!: number;

  @RecordField(() => NotificationView, {
    graphql: true,
    nullable: true,
    description: 'The notification that has come; null when only the number has changed.',
  })
  notification!: NotificationView | null;

  static fromNews(this: void, { unread, seen }: NotificationNews): NotificationMessageView {
    return { unread_count: unread, notification: seen && NotificationView.fromSeenEvent(seen) };
  }
}
