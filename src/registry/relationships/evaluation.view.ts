import { FlagField, MapField, MapsField, RecordField } from '../../core/schema/view-fields.js';

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

  @MapsField({ rest: true, description: 'What each definition found.' })
  definitions!: object[];

  @FlagField({ rest: true, description: 'A limit was reached: there may be more relationships than were found.' })
  truncated!: boolean;
}

/** A design with its relationships, and the trace of the evaluation. */
export class EvaluationView {
  @MapField({ rest: true, description: 'The design file with its relationships.' })
  design!: object;

  @MapsField({ rest: true, description: 'What changed in the design, one entry each.' })
  actions!: object[];

  @RecordField(() => EvaluationTraceView, { rest: true })
  trace!: EvaluationTraceView;
}
