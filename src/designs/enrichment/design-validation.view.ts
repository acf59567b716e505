import { FlagField, IdField, IntField, RecordField, RecordsField, TextField } from '../../core/schema/view-fields.js';
import { ResourceValidationView } from '../../registry/validation/resource-validation.view.js';
import type { ComponentValidation, DesignValidation } from './design-validation-task.js';
import { PolicyViolationView } from './policy-violation.view.js';

class ComponentValidationView extends ResourceValidationView implements ComponentValidation {
  @IdField({ rest: true })
  id!: string;

  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  apiVersion!: string;
}

class ValidationCountsView {
  @IntField({ rest: true })
  components!: number;

  @IntField({ rest: true })
  valid!: number;

  @IntField({ rest: true, description: 'Components of a kind that the registry does not know.' })
  unknown!: number;

  @IntField({ rest: true })
  errors!: number;

  @IntField({ rest: true })
  warnings!: number;
}

/** Whether each component of a design is valid; pointers are relative to the resource of the component. */
export class DesignValidationView implements DesignValidation {
  @FlagField({ rest: true, description: 'Every component is valid, and no policy that is enforced is violated.' })
  valid!: boolean;

  @RecordsField(() => ComponentValidationView, { rest: true })
  components!: ComponentValidationView[];

  @RecordField(() => ValidationCountsView, { rest: true })
  counts!: ValidationCountsView;

  @RecordsField(() => PolicyViolationView, {
    rest: true,
    description: 'Violations of policies of the workspace, for its members.',
  })
  policy_violations!: object[];
}
