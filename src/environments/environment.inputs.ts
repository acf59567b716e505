import { InputForms } from '../core/schema/field-examples.js';
import { nullToEmpty, definedFields, UpdatesView } from '../core/rest/read-only-fields.js';
import { UpdateInput } from '../core/rest/input.pipe.js';
import { IdInput, IntegerInput, MetadataInput, NameInput, TextInput, WordInput } from '../core/schema/input-fields.js';
import {
  countRequiredApprovals,
  DRIFT_MODES,
  type DriftMode,
  type Environment,
  LOG_READERS,
  type LogReaders,
  MAX_REQUIRED_APPROVALS,
  type Tier,
  TIERS,
} from './environment.entity.js';
import { EnvironmentView } from './environment.view.js';

const RequiredApprovalsInput = () =>
  IntegerInput({
    clearable: true,
    min: 0,
    max: MAX_REQUIRED_APPROVALS,
    description: 'Admins who must approve a deployment; null is the default of the tier: 1 for production, else 0.',
  });

const DriftInput = () =>
  WordInput(DRIFT_MODES, {
    optional: true,
    description:
      'What counts as drift of what is deployed there: `fields` of the design that differ (default), or `strict`: also fields that people have added by hand.',
  });

const LogsInput = () =>
  WordInput(LOG_READERS, {
    optional: true,
    description:
      'Who reads the logs of what is deployed there: `editor` (default), or `viewer`: viewers of the workspace as well.',
  });

@UpdatesView(() => EnvironmentView)
@InputForms({ example: { name: 'staging', tier: 'staging' } })
export class NewEnvironment {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @IdInput()
  organization_id!: string;

  @WordInput(TIERS, { optional: true })
  tier?: Tier;

  @RequiredApprovalsInput()
  required_approvals?: number | null;

  @DriftInput()
  drift?: DriftMode;

  @LogsInput()
  logs?: LogReaders;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;
}

@UpdatesView(() => EnvironmentView)
@InputForms({ example: { name: 'staging', required_approvals: 1 } })
export class EnvironmentChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @WordInput(TIERS, { optional: true })
  tier?: Tier;

  @RequiredApprovalsInput()
  required_approvals?: number | null;

  @DriftInput()
  drift?: DriftMode;

  @LogsInput()
  logs?: LogReaders;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  /** The columns that this input sets. A number of approvals sent back unchanged stays configured, or the default of the tier. */
  fields(current: Environment): Partial<Environment> {
    const approvals = this.required_approvals;
    return definedFields({
      name: this.name,
      description: nullToEmpty(this.description, ''),
      tier: this.tier,
      requiredApprovals: approvals === countRequiredApprovals(current) ? undefined : approvals,
      drift: this.drift,
      logs: this.logs,
      metadata: nullToEmpty(this.metadata, {}),
    });
  }
}
