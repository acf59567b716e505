import { RecordsField, TextField, TextsField } from '../core/schema/view-fields.js';

class EventTypeView {
  @TextField({ rest: true, description: 'Category and action with a dot between them.' })
  kind!: string;

  @TextField({ rest: true })
  category!: string;

  @TextField({ rest: true })
  action!: string;
}

/** Every kind of event, and the words that lists of events are narrowed by. */
export class EventTypesView {
  @RecordsField(() => EventTypeView, { rest: true })
  types!: EventTypeView[];

  @TextsField({ rest: true })
  category!: string[];

  @TextsField({ rest: true })
  action!: string[];
}
