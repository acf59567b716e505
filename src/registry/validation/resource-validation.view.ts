import { FlagField, IdField, RecordField, RecordsField, TextField } from '../../core/schema/view-fields.js';
import type { Finding } from '../../validation/schema/findings.js';
import type { ResourceValidation } from './resource-validation.js';

export class FindingView implements Finding {
  @TextField({ rest: true, description: 'JSON Pointer into the resource; empty for the whole of it.' })
  pointer!: string;

  @TextField({ rest: true })
  detail!: string;

  @TextField({ rest: true, description: 'The rule: a keyword of the schema, or a word of this server.' })
  keyword!: string;
}

class DefinitionModelView {
  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true })
  version!: string;
}

export class DefinitionView {
  @IdField({ rest: true })
  id!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  apiVersion!: string;

  @RecordField(() => DefinitionModelView, { rest: true })
  model!: DefinitionModelView;
}

/** Whether a resource is valid, and by which definition of the registry. */
export class ResourceValidationView implements ResourceValidation {
  @FlagField({ rest: true })
  valid!: boolean;

  @RecordsField(() => FindingView, { rest: true })
  errors!: FindingView[];

  @RecordsField(() => FindingView, {
    rest: true,
    description: 'Fields that would be dropped, and rules that could not be evaluated.',
  })
  warnings!: FindingView[];

  @RecordField(() => DefinitionView, { rest: true, nullable: true, description: 'Null when the kind is unknown.' })
  definition!: DefinitionView | null;
}
