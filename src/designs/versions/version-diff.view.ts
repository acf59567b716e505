import {
  AnyField,
  FlagField,
  IdField,
  IntField,
  RecordField,
  RecordsField,
  TextField,
  TextsField,
  WordField,
} from '../../core/schema/view-fields.js';
import type { ChangedComponent, ComponentName, RelationshipName } from './diff/design-diff.js';
import type { ValueChange } from './diff/value-changes.js';
import type { VersionDiff } from './version-diffs.service.js';

const CHANGES: readonly ValueChange['change'][] = ['added', 'removed', 'changed', 'reordered'];

class ValueChangeView implements ValueChange {
  @TextField({ rest: true, description: 'JSON Pointer; for a removed value it points into the old content.' })
  pointer!: string;

  @WordField(CHANGES, { rest: true })
  change!: ValueChange['change'];

  @AnyField({
    rest: true,
    optional: true,
    description: 'The old value; of a new order, the identities in their order.',
  })
  from?: ValueChange['from'];

  @AnyField({ rest: true, optional: true, description: 'The new value.' })
  to?: ValueChange['to'];
}

class ComponentNameView implements ComponentName {
  @IdField({ rest: true })
  id!: string;

  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  namespace!: string;
}

class ChangedComponentView extends ComponentNameView implements ChangedComponent {
  @RecordsField(() => ValueChangeView, { rest: true, description: 'Secret values are hidden.' })
  changes!: ValueChangeView[];
}

class RelationshipNameView implements RelationshipName {
  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  type!: string;

  @TextField({ rest: true })
  sub_type!: string;

  @TextsField({ rest: true, description: 'Names of the components that it connects.' })
  between!: string[];
}

class RelationshipChangesView {
  @RecordsField(() => RelationshipNameView, { rest: true })
  added!: RelationshipNameView[];

  @RecordsField(() => RelationshipNameView, { rest: true })
  removed!: RelationshipNameView[];
}

class DiffCountsView {
  @IntField({ rest: true })
  added!: number;

  @IntField({ rest: true })
  removed!: number;

  @IntField({ rest: true })
  changed!: number;

  @IntField({ rest: true })
  unchanged!: number;
}

/** The semantic differences between two versions of a design. */
export class VersionDiffView implements VersionDiff {
  @IntField({ rest: true })
  from!: number;

  @IntField({ rest: true })
  to!: number;

  @FlagField({ rest: true })
  equal!: boolean;

  @RecordsField(() => ComponentNameView, { rest: true })
  added!: ComponentNameView[];

  @RecordsField(() => ComponentNameView, { rest: true })
  removed!: ComponentNameView[];

  @RecordsField(() => ChangedComponentView, { rest: true })
  changed!: ChangedComponentView[];

  @RecordField(() => RelationshipChangesView, { rest: true })
  relationships!: RelationshipChangesView;

  @RecordsField(() => ValueChangeView, { rest: true, description: 'Changes of the design itself.' })
  changes!: ValueChangeView[];

  @RecordField(() => DiffCountsView, { rest: true })
  counts!: DiffCountsView;
}
