import { FaultView } from '../../core/errors/fault.view.js';
import type { Fault } from '../../core/errors/app-error.js';
import {
  CountsField,
  FlagField,
  IdField,
  IntField,
  RecordField,
  RecordsField,
  TextField,
  TextsField,
  WordField,
} from '../../core/schema/view-fields.js';
import { SOURCE_TYPES, type SourceType } from '../formats/source-type.js';
import { LEFT_OUT_CODES, type LeftOutCode } from './left-out.js';

/** An object on a cluster. */
export class ImportedResourceView {
  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true, description: 'Null for what is in none.' })
  namespace!: string | null;

  @TextField({ rest: true })
  name!: string;
}

/** What deploys a design to the place that it was read from, and takes over its objects: the body of `POST /api/pattern/deploy`. */
export class AdoptionView {
  @IdField({ rest: true, optional: true, description: 'The design; not of a preview.' })
  id?: string;

  @IdField({ rest: true })
  environment_id!: string;

  @TextsField({ rest: true, description: 'The connection that the design was read from.' })
  connection_ids!: string[];

  @TextField({ rest: true })
  namespace!: string;

  @FlagField({ rest: true, description: 'Always true: existing objects become those of the deployment.' })
  adopt!: boolean;
}

/** How a tool that manages objects of the design lets go of them without deleting them. */
export class HandOverView {
  @WordField(['Argo CD', 'Flux', 'Helm'], { rest: true, description: 'The tool.' })
  tool!: 'Argo CD' | 'Flux' | 'Helm';

  @TextsField({ rest: true, description: 'What to do, in this order; commands for a shell where there are any.' })
  steps!: string[];
}

/** One design that an import from a cluster made, or would make. */
export class ClusterDesignView {
  @IdField({ rest: true, optional: true, description: 'Not of a preview.' })
  id?: string;

  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true, description: 'The namespace that it was read from; the components carry none.' })
  namespace!: string;

  @WordField(SOURCE_TYPES, { rest: true })
  source_type!: SourceType;

  @IntField({ rest: true, description: 'The number of components.' })
  components!: number;

  @RecordsField(() => ImportedResourceView, { rest: true, description: 'The objects that it is made of.' })
  resources!: ImportedResourceView[];

  @TextField({ rest: true, description: 'Why these objects are one design.' })
  reason!: string;

  @RecordsField(() => FaultView, { rest: true, description: 'What the caller should know about it.' })
  warnings!: Fault[];

  @RecordField(() => AdoptionView, {
    rest: true,
    description: 'What to send to `POST /api/pattern/deploy` to adopt it.',
  })
  deploy!: AdoptionView;

  @RecordsField(() => HandOverView, {
    rest: true,
    optional: true,
    description: 'How the tools let go that manage its objects now; not where none does.',
  })
  hand_over?: HandOverView[];
}

/** What manages an object that was left out. */
export class ManagerView {
  @TextField({ rest: true, nullable: true })
  api_version!: string | null;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true })
  namespace!: string | null;

  @TextField({ rest: true })
  name!: string;
}

/** An object that became part of no design. */
export class LeftOutView {
  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true, description: 'Null for what is in none.' })
  namespace!: string | null;

  @TextField({ rest: true, nullable: true, description: 'Null for all objects of a kind that cannot be read.' })
  name!: string | null;

  @WordField(LEFT_OUT_CODES, { rest: true })
  code!: LeftOutCode;

  @TextField({ rest: true, description: 'Why it was left out.' })
  reason!: string;

  @RecordField(() => ManagerView, { rest: true, optional: true, description: 'What manages it, where that is known.' })
  owner?: ManagerView;
}

/** What an import from a cluster made of it, or would make. */
export class ClusterImportView {
  @RecordsField(() => ClusterDesignView, { rest: true, description: 'By namespace and name.' })
  designs!: ClusterDesignView[];

  @RecordsField(() => LeftOutView, { rest: true, description: 'At most 10,000; `counts` has the number of all.' })
  left_out!: LeftOutView[];

  @CountsField({
    rest: true,
    description: 'The numbers of `designs`, of their `resources`, and of what was `left_out`.',
  })
  counts!: Record<'designs' | 'resources' | 'left_out', number>;

  @RecordsField(() => FaultView, {
    rest: true,
    description: 'What the caller should know about the import as a whole.',
  })
  warnings!: Fault[];
}
