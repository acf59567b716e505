import { InputForms } from '../../core/schema/field-examples.js';
import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, Length } from 'class-validator';
import { definedFields, nullToEmpty, UpdatesView } from '../../core/rest/read-only-fields.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { FlagInput, IdInput, NameInput, TextInput, WordInput } from '../../core/schema/input-fields.js';
import { POLICY_MODES, type PolicyMode } from '../plan/policy-violation.js';
import type { Policy } from './policy.entity.js';
import { PolicyView } from './policy.view.js';

const MAX_EXPRESSION = 4_000;
const MAX_MESSAGE = 1_000;
const MAX_KINDS = 50;
const EXPRESSION = 'CEL over `component`, `design` and `environment`, true where the resource complies.';

const KindsInput = () =>
  applyDecorators(
    ApiPropertyOptional({ type: String, isArray: true, nullable: true, maxItems: MAX_KINDS }),
    IsOptional(),
    IsArray({ message: 'must be a list' }),
    ArrayMaxSize(MAX_KINDS, { message: `must have at most ${MAX_KINDS} kinds` }),
    IsString({ each: true, message: 'must be strings' }),
    Length(1, 63, { each: true, message: 'must have 1 to 63 characters each' }),
  );

const EXAMPLE_EXPRESSION = "component.spec.template.spec.containers.all(c, !c.image.endsWith(':latest'))";

@UpdatesView(() => PolicyView)
@InputForms({ example: { name: 'no latest', expression: EXAMPLE_EXPRESSION, mode: 'enforce', kinds: ['Deployment'] } })
export class NewPolicy {
  @NameInput()
  name!: string;

  @TextInput({ max: MAX_EXPRESSION, description: EXPRESSION })
  expression!: string;

  @TextInput({ clearable: true, max: MAX_MESSAGE })
  message?: string | null;

  @WordInput(POLICY_MODES)
  mode!: PolicyMode;

  @KindsInput()
  kinds?: string[] | null;

  @FlagInput({ optional: true, description: 'Default: true.' })
  enabled?: boolean;

  /** The columns of a new policy. */
  fields(): Pick<Policy, 'name' | 'expression' | 'message' | 'mode' | 'kinds' | 'enabled'> {
    const { name, expression, message, mode, kinds, enabled } = this;
    return { name, expression, message: message ?? '', mode, kinds: kinds ?? [], enabled: enabled ?? true };
  }
}

@UpdatesView(() => PolicyView)
@InputForms({ 'only warn': { mode: 'warn' } })
export class PolicyChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ optional: true, filled: true, max: MAX_EXPRESSION, description: EXPRESSION })
  expression?: string;

  @TextInput({ clearable: true, max: MAX_MESSAGE })
  message?: string | null;

  @WordInput(POLICY_MODES, { optional: true })
  mode?: PolicyMode;

  @KindsInput()
  kinds?: string[] | null;

  @FlagInput({ optional: true })
  enabled?: boolean;

  /** The columns that this input sets. */
  fields(): Partial<Policy> {
    const { name, expression, mode, enabled } = this;
    const kinds = nullToEmpty(this.kinds, []);
    return definedFields({ name, expression, message: nullToEmpty(this.message, ''), mode, kinds, enabled });
  }
}

@InputForms({ example: { expression: EXAMPLE_EXPRESSION } })
export class PolicyTrialRequest {
  @TextInput({ max: MAX_EXPRESSION, description: EXPRESSION })
  expression!: string;

  @IdInput({ description: 'A design of the workspace.' })
  design_id!: string;

  @IdInput({
    optional: true,
    description: 'An environment of the workspace; without it `environment` has the tier development and no name.',
  })
  environment_id?: string;
}
