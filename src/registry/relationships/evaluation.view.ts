import {
  AnyField,
  FlagField,
  IntField,
  MapField,
  MapsField,
  RecordField,
  RecordsField,
  TextField,
  TextsField,
  TimeField,
  WordField,
} from '../../core/schema/view-fields.js';
import type { DefinitionTrace } from './evaluation/evaluation.js';

/** What a definition found. */
class DefinitionTraceView implements DefinitionTrace {
  @TextField({ rest: true })
  model!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  type!: string;

  @TextField({ rest: true })
  subType!: string;

  @TextField({ rest: true })
  description!: string;

  @IntField({ rest: true, description: 'How many relationships it found or confirmed.' })
  found!: number;

  @TextsField({ rest: true, description: 'Why it found none.' })
  notes!: string[];
}

class EvaluationTraceView {
  @MapsField({ rest: true })
  componentsAdded!: object[];

  @MapsField({ rest: true })
  componentsUpdated!: object[];

  @MapsField({ rest: true })
  componentsRemoved!: object[];

  @MapsField({ rest: true })
  relationshipsAdded!: object[];

  @MapsField({ rest: true })
  relationshipsUpdated!: object[];

  @MapsField({ rest: true })
  relationshipsRemoved!: object[];

  @MapsField({ of: () => DefinitionTraceView, rest: true, description: 'What each definition found, or why none.' })
  definitions!: DefinitionTrace[];

  @TextsField({ rest: true, description: 'Patches that were requested and not applied.' })
  notes!: string[];

  @FlagField({ rest: true, description: 'A limit was reached: there may be more relationships than were found.' })
  truncated!: boolean;
}

const ACTIONS = [
  'add_relationship',
  'update_relationship',
  'delete_relationship',
  'update_component',
  'update_component_configuration',
] as const;

class EvaluationValueView {
  @MapField({ rest: true, optional: true, description: 'The relationship that is added.' })
  item?: object;

  @TextField({ rest: true, optional: true, description: 'The relationship or component.' })
  id?: string;

  @TextsField({ rest: true, optional: true, description: 'The member names that lead to the new value.' })
  path?: string[];

  @AnyField({ rest: true, optional: true, description: 'The new value.' })
  value?: unknown;
}

/** A change of the design; `value` says it in the form that other programs apply. */
class EvaluationActionView {
  @WordField(ACTIONS, { rest: true })
  op!: (typeof ACTIONS)[number];

  @MapField({
    of: () => EvaluationValueView,
    rest: true,
    description: 'add_relationship has item, delete_relationship id, and updates have id, path and value.',
  })
  value!: EvaluationValueView;

  @TextField({ rest: true, description: 'The relationship or component.' })
  id!: string;

  @TextField({ rest: true, optional: true, description: 'The first component of a relationship.' })
  from?: string;

  @TextField({ rest: true, optional: true, description: 'The first component at its other end.' })
  to?: string;

  @TextField({ rest: true, optional: true, description: 'Why the relationship is there, or changes.' })
  reason?: string;

  @TextField({
    rest: true,
    optional: true,
    description: 'The place in a component, as a JSON Pointer; old and new are its values.',
  })
  pointer?: string;

  @AnyField({ rest: true, optional: true, description: 'The value in a component before.' })
  old?: unknown;

  @AnyField({ rest: true, optional: true, description: 'The value in a component after.' })
  new?: unknown;

  @TextField({ rest: true, optional: true, description: 'The relationship whose patch changes a component.' })
  relationship?: string;
}

/** A design with its relationships, what changed, and the trace of the evaluation. */
export class EvaluationView {
  @TextField({ rest: true, description: 'The version of this form.' })
  schemaVersion!: string;

  @MapField({
    rest: true,
    description: 'The design file with its relationships; with returnDiffOnly only what changed.',
  })
  design!: object;

  @RecordsField(() => EvaluationActionView, { rest: true, description: 'What changed in the design, one entry each.' })
  actions!: EvaluationActionView[];

  @RecordField(() => EvaluationTraceView, {
    rest: true,
    optional: true,
    description: 'Absent when enableTrace is false.',
  })
  trace?: EvaluationTraceView;

  @TimeField({ rest: true })
  timestamp!: Date;
}
