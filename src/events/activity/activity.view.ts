import { IdField, IntField, RecordsField, TextField, TextsField, TimeField } from '../../core/schema/view-fields.js';
import { type PageEnvelope, PaginatedView, toPageEnvelope } from '../../core/listing/page.js';
import type { Page } from '../../core/listing/page.js';
import type { SeenEvent } from '../event.entity.js';
import { EventView } from '../event.view.js';
import { describeBurst } from './burst-phrases.js';
import type { Burst } from './bursts.store.js';

const REST = { rest: true } as const;

/** A burst: the same action repeated by one user, shown as one item. */
export class ActivityGroupView {
  @TextField({ ...REST, description: 'One sentence, such as "alice imported 12 designs".' })
  description!: string;

  @TextField(REST)
  category!: string;

  @TextField(REST)
  action!: string;

  @IdField({ ...REST, nullable: true, description: 'Who did it; null when the system did.' })
  user_id!: string | null;

  @IntField({ ...REST, description: 'How many events it has, on this page and beyond.' })
  count!: number;

  @TimeField({ ...REST, description: 'When the first of them happened.' })
  first_at!: Date;

  @TimeField({ ...REST, description: 'When the last of them happened.' })
  last_at!: Date;

  @TextsField({ ...REST, description: 'The ids of those that are on this page.' })
  event_ids!: string[];

  static fromBurst(this: void, burst: Burst): ActivityGroupView {
    return {
      description: describeBurst(burst),
      category: burst.category,
      action: burst.action,
      user_id: burst.userId,
      count: burst.count,
      first_at: burst.firstAt,
      last_at: burst.lastAt,
      event_ids: burst.eventIds,
    };
  }
}

/** A page of the activity of a workspace, with the bursts of its events. */
export class ActivityPage extends PaginatedView(EventView, 'events', 'ActivityPage') {
  @RecordsField(() => ActivityGroupView, {
    ...REST,
    description: 'Groups that events of this page belong to: the same action repeated by one user within minutes.',
  })
  groups!: ActivityGroupView[];
}

export const toActivityPage = (page: Page<SeenEvent>, bursts: Burst[]): PageEnvelope => ({
  ...toPageEnvelope(page, 'events', EventView.fromSeenEvent),
  ...{ groups: bursts.map(ActivityGroupView.fromBurst) },
});
