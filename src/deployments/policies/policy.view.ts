import { PaginatedView } from '../../core/listing/page.js';
import { RecordView } from '../../core/schema/record.view.js';
import {
  FlagField,
  IdField,
  IntField,
  RecordsField,
  TextField,
  TextsField,
  WordField,
} from '../../core/schema/view-fields.js';
import { POLICY_MODES, type PolicyMode } from '../plan/policy-violation.js';
import type { Policy } from './policy.entity.js';
import type { PolicyTrial, PolicyVerdict } from './policy-task.js';

export class PolicyView extends RecordView {
  @TextField()
  name!: string;

  @IdField()
  workspace_id!: string;

  @IdField()
  organization_id!: string;

  @TextField({ description: 'CEL over component, design and environment, true where it complies.' })
  expression!: string;

  @TextField({ description: 'The message for a resource that does not comply.' })
  message!: string;

  @WordField(POLICY_MODES, { description: 'Whether a violation refuses a deployment, or is only reported.' })
  mode!: PolicyMode;

  @TextsField({ description: 'Kinds of the resources that it is evaluated for; all when it is empty.' })
  kinds!: string[];

  @FlagField()
  enabled!: boolean;

  static fromEntity(this: void, policy: Policy): PolicyView {
    return RecordView.assignRecord(new PolicyView(), policy, {
      name: policy.name,
      workspace_id: policy.workspaceId,
      organization_id: policy.organizationId,
      expression: policy.expression,
      message: policy.message,
      mode: policy.mode,
      kinds: policy.kinds,
      enabled: policy.enabled,
    });
  }
}

export const PolicyPage = PaginatedView(PolicyView, 'policies', 'PolicyPage');

export class PolicyVerdictView {
  @TextField({ rest: true, description: 'The component of the design that the resource comes from.' })
  component!: string;

  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true })
  namespace!: string | null;

  @TextField({ rest: true })
  name!: string;

  @FlagField({ rest: true, description: 'Whether the resource complies.' })
  complies!: boolean;

  @TextField({ rest: true, nullable: true, description: 'Why the expression could not be evaluated.' })
  reason!: string | null;
}

/** The verdicts of an expression on the resources of a design. */
export class PolicyTrialView {
  @IntField({ rest: true, description: 'Resources that were evaluated.' })
  judged!: number;

  @IntField({ rest: true, description: 'Those of them that do not comply.' })
  violations!: number;

  @RecordsField(() => PolicyVerdictView, { rest: true, description: 'The first of them; violations come first.' })
  verdicts!: PolicyVerdictView[];

  static fromTrial(this: void, { judged, violations, verdicts }: PolicyTrial): PolicyTrialView {
    const view = ({ resource, complies, reason }: PolicyVerdict) =>
      Object.assign(new PolicyVerdictView(), resource, { complies, reason });
    return Object.assign(new PolicyTrialView(), { judged, violations, verdicts: verdicts.map(view) });
  }
}
