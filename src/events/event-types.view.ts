import { PaginatedView } from '../core/listing/page.js';
import { TextField, TextsField } from '../core/schema/view-fields.js';

export class EventTypeView {
  @TextField({ rest: true, description: 'Category and action with a dot between them.' })
  kind!: string;

  @TextField({ rest: true })
  category!: string;

  @TextField({ rest: true })
  action!: string;
}

/** The kinds of events, and the values of the filters of event lists. */
export class EventTypePage extends PaginatedView(EventTypeView, 'types', 'EventTypePage') {
  @TextsField({ rest: true })
  category!: string[];

  @TextsField({ rest: true })
  action!: string[];
}
