import { EXAMPLE_ID, EXAMPLE_MANIFEST, InputForms } from '../core/schema/field-examples.js';
import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { Repeatable } from '../core/schema/repeatable.js';
import { InvalidRequest } from '../core/errors/app-error.js';
import { assertSameWhereSent } from '../core/rest/alternatives.js';
import { OrganizationListQuery, parseInteger } from '../core/listing/list-query.js';
import { IsVersionNumber } from '../designs/contents/version-number.js';
import { DRIFT_MODES, type DriftMode } from '../environments/environment.entity.js';
import { DEPLOYMENT_STATUSES, type DeploymentOptions, type DeploymentStatus } from './deployment.entity.js';
import {
  FlagInput,
  IdInput,
  IntegerInput,
  NameInput,
  TEXT_OR_OBJECT,
  TextInput,
  WordInput,
} from '../core/schema/input-fields.js';

const MAX_TIMEOUT_SECONDS = 3_600;
const MAX_REASON_LENGTH = 1_000;

const TimeoutInput = () =>
  IntegerInput({
    optional: true,
    min: 1,
    max: MAX_TIMEOUT_SECONDS,
    description: 'The timeout in seconds for wait, and for each hook of a chart; default: 300.',
  });

const ApprovalRequestInput = () =>
  FlagInput({
    optional: true,
    description: 'Waits for the approvals that the environment requires, by admins of the workspace.',
  });

const AdoptInput = () =>
  FlagInput({
    optional: true,
    description: 'Takes ownership of existing objects; those of another deployment only with the right to undeploy it.',
  });

const ForceInput = () =>
  FlagInput({ optional: true, description: 'Takes ownership of fields that another field manager set.' });

const NamespaceInput = () =>
  applyDecorators(
    TextInput({ optional: true, max: 63, description: 'The namespace for objects that do not set one.' }),
    Matches(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/, {
      message: 'must be the name of a namespace: lowercase letters, digits and hyphens',
    }),
  );

const ConnectionIdsInput = () =>
  applyDecorators(
    ApiPropertyOptional({ type: String, isArray: true, format: 'uuid' }),
    IsOptional(),
    IsUUID('all', { each: true, message: 'must be a list of UUIDs' }),
  );

const ValuesInput = (description: string) =>
  applyDecorators(ApiPropertyOptional({ oneOf: TEXT_OR_OBJECT, description }), IsOptional());

/** Lets a deployment, undeployment or rollback override a freeze, and say why it is requested. */
export class FreezeOverride {
  @FlagInput({
    optional: true,
    description: 'Deploys although the environment is frozen; requires an admin of the organization.',
  })
  override_freeze?: boolean;

  @TextInput({
    optional: true,
    max: MAX_REASON_LENGTH,
    description: 'Why it is requested, or why a freeze is overridden; the record keeps it.',
  })
  reason?: string;
}

/** The target of a deployment. Omitted fields are resolved; when several values are possible, the response is 400 and lists them. */
export class DeploymentTarget extends FreezeOverride {
  @IdInput({ optional: true, description: 'The design.' })
  id?: string;

  @IdInput({ optional: true, description: 'An alias, for compatibility with other clients.' })
  pattern_id?: string;

  @IdInput({ optional: true })
  environment_id?: string;

  @ConnectionIdsInput()
  connection_ids?: string[];
}

@InputForms({
  example: { id: EXAMPLE_ID },
  'into an environment': { id: EXAMPLE_ID, environment_id: EXAMPLE_ID, connection_ids: [EXAMPLE_ID] },
})
export class PlanRequest extends DeploymentTarget {
  @NameInput({ optional: true, description: 'Label of the deployment; the name of the design when it is left out.' })
  name?: string;

  @NamespaceInput()
  namespace?: string;

  @FlagInput({ optional: true, description: 'Creates the namespace if it does not exist; undeploying removes it.' })
  create_namespace?: boolean;

  @FlagInput({
    optional: true,
    description: 'Deploys to a different namespace than before, and removes the objects from the old one.',
  })
  move?: boolean;

  @FlagInput({ optional: true, description: 'Deletes and recreates objects that cannot be changed in place.' })
  replace?: boolean;

  @FlagInput({ optional: true, description: 'Deletes volume claims that left the design, too, with their data.' })
  delete_volumes?: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'The number of a version; the current one when it is left out.',
  })
  @IsOptional()
  @IsVersionNumber()
  version?: number;

  @ValuesInput('For a design made from a Helm chart: values that override those of the design, as YAML text or object.')
  values?: string | Record<string, unknown>;

  @AdoptInput()
  adopt?: boolean;

  @ForceInput()
  force?: boolean;
}

@InputForms({
  example: { id: EXAMPLE_ID },
  plan: { id: EXAMPLE_ID, plan_id: EXAMPLE_ID },
  'with a file': { pattern_id: EXAMPLE_ID, pattern_file: EXAMPLE_MANIFEST },
  'a file': { pattern_file: EXAMPLE_MANIFEST, workspace_id: EXAMPLE_ID },
})
export class DeployRequest extends PlanRequest {
  /** Refused, because a caller who sends it expects that nothing is deployed. */
  @ValidateIf((_, value) => value !== undefined)
  @ValidateBy({
    name: 'isAbsent',
    validator: {
      validate: () => false,
      defaultMessage: () => 'is not a field of a deployment; plan it with POST /api/pattern/deploy/plan',
    },
  })
  dry_run?: never;

  @FlagInput({ optional: true, description: 'Waits until every object is healthy or suspended.' })
  wait?: boolean;

  @TimeoutInput()
  timeout?: number;

  @FlagInput({
    optional: true,
    description: 'Rolls back all changes when something fails; default: true.',
  })
  atomic?: boolean;

  @FlagInput({
    optional: true,
    description: 'Reapplies objects that drift on the cluster, at most 5 times in 10 minutes.',
  })
  self_heal?: boolean;

  @WordInput(DRIFT_MODES, {
    optional: true,
    description:
      'What counts as drift: `fields` of the design that differ, or `strict`: also fields that people have added by hand. Default: what the environment says.',
  })
  drift?: DriftMode;

  @IdInput({ optional: true, description: 'Applies exactly this plan.' })
  plan_id?: string;

  @ApprovalRequestInput()
  request_approval?: boolean;

  @TextInput({
    optional: true,
    max: 10_000_000,
    description:
      'The content of the design: what differs from the stored one is saved as its next version first. Without an id it is imported first.',
  })
  pattern_file?: string;

  @IdInput({
    optional: true,
    description: 'Where a file without an id is imported; default: the workspace of the caller.',
  })
  workspace_id?: string;
}

/** Rejects fields that contradict the content of the design in `pattern_file`. @throws InvalidRequest */
export function assertFileFits({ id, pattern_file, workspace_id, version, plan_id }: DeployRequest): void {
  if (workspace_id !== undefined && (id !== undefined || pattern_file === undefined))
    throw InvalidRequest.forField('/workspace_id', 'is for a file without an id', 'Leave it out.');
  if (pattern_file === undefined) return;
  const other = version !== undefined ? 'version' : plan_id !== undefined ? 'plan_id' : undefined;
  if (other)
    throw InvalidRequest.forField(
      '/pattern_file',
      `cannot be sent with ${other}`,
      'Save the content first: PUT /api/pattern/{id}.',
    );
}

@InputForms({ example: { id: EXAMPLE_ID } })
export class UndeployRequest extends DeploymentTarget {
  @FlagInput({ optional: true, description: 'Deletes volume claims too, with their data.' })
  delete_volumes?: boolean;

  @FlagInput({ optional: true, description: 'Leaves out the hooks of a chart, such as one that always fails.' })
  skip_hooks?: boolean;

  @FlagInput({
    optional: true,
    description: 'Makes again what was deleted when it is cancelled, without the data of volumes; default: true.',
  })
  atomic?: boolean;

  @IntegerInput({
    optional: true,
    min: 1,
    max: MAX_TIMEOUT_SECONDS,
    description: 'How long to wait in seconds until all is gone; as long again for each phase of hooks; default: 300.',
  })
  timeout?: number;

  @ApprovalRequestInput()
  request_approval?: boolean;
}

@InputForms({ 'to the version before': {}, 'to a version': { version: 1 } })
export class RollbackRequest extends FreezeOverride {
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The version to go back to; the one deployed before when it is left out.',
  })
  @IsOptional()
  @IsVersionNumber()
  version?: number;

  @ApprovalRequestInput()
  request_approval?: boolean;

  @FlagInput({ optional: true, description: 'Waits until every object is healthy or suspended.' })
  wait?: boolean;

  @TimeoutInput()
  timeout?: number;

  @AdoptInput()
  adopt?: boolean;

  @ForceInput()
  force?: boolean;
}

/** Deploys a version that succeeded in one environment in another. */
export class PromotionRequest extends FreezeOverride {
  @IdInput({ description: 'The environment that it is promoted to.' })
  environment_id!: string;

  @ConnectionIdsInput()
  connection_ids?: string[];

  @NamespaceInput()
  namespace?: string;

  @FlagInput({ optional: true, description: 'Creates the namespace if it does not exist; undeploying removes it.' })
  create_namespace?: boolean;

  @ValuesInput('For a Helm chart: values that override those of the promoted deployment, as YAML text or object.')
  values?: string | Record<string, unknown>;

  @IdInput({ optional: true, description: 'Applies exactly this plan, which must be of the version that is promoted.' })
  plan_id?: string;

  @ApprovalRequestInput()
  request_approval?: boolean;

  @FlagInput({ optional: true, description: 'Waits until every object is healthy or suspended.' })
  wait?: boolean;

  @TimeoutInput()
  timeout?: number;
}

/** An approval with an optional reason. */
@InputForms({ example: { reason: 'Reviewed with the team.' } })
export class ApprovalRequest {
  @TextInput({ optional: true, max: MAX_REASON_LENGTH, description: 'Why it is approved; the record keeps it.' })
  reason?: string;
}

@InputForms({ example: { reason: 'The migration has to be reviewed first.' } })
export class RejectionRequest {
  @TextInput({ max: MAX_REASON_LENGTH, description: 'Why it is rejected; the record keeps it.' })
  reason!: string;
}

/** The target in the query string, because some proxies drop the body of a DELETE request. */
export class TargetQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'The design.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  id?: string;

  @ApiPropertyOptional({ format: 'uuid', description: 'The environment to deploy to.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  environment_id?: string;

  @ApiPropertyOptional({ type: String, description: 'Ids of connections, separated by commas.' })
  @IsOptional()
  @Repeatable()
  connection_ids?: string | string[];

  @ApiPropertyOptional({
    type: String,
    description: 'An alias, for compatibility with other clients; `all` names none.',
  })
  @IsOptional()
  @Repeatable()
  contexts?: string | string[];

  @IsOptional()
  @IsString()
  async?: string;

  /** Sets the fields that the body omits. @throws InvalidRequest when body and query name different designs or targets */
  mergeInto<T extends DeploymentTarget>(target: T): T {
    assertSameWhereSent({ '/id': target.id, '/pattern_id': target.pattern_id, id: this.id });
    assertSameWhereSent({ '/environment_id': target.environment_id, environment_id: this.environment_id });
    assertSameWhereSent({
      '/connection_ids': toComparableIds(target.connection_ids),
      connection_ids: toComparableIds(this.connection_ids),
      contexts: toComparableIds(this.contexts),
    });
    const listed = splitIds(this.connection_ids ?? this.contexts);
    target.id ??= target.pattern_id ?? this.id;
    target.environment_id ??= this.environment_id;
    if (!target.connection_ids?.length && listed.length > 0) target.connection_ids = listed;
    return target;
  }
}

const splitIds = (ids: string | readonly string[] = []): string[] =>
  [ids]
    .flat()
    .flatMap((text) => text.split(','))
    .filter((id) => id !== '' && id !== 'all');

/** The same text for the same ids, in whatever order. */
const toComparableIds = (ids?: string | readonly string[]): string =>
  [...new Set(splitIds(ids).map((id) => id.toLowerCase()))].sort().join(',');

export class UndeployQuery extends TargetQuery {
  @ApiPropertyOptional({ enum: ['true', 'false'], description: 'Deletes volume claims too, with their data.' })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  delete_volumes?: string;

  @ApiPropertyOptional({ enum: ['true', 'false'], description: 'Leaves out the hooks of a chart.' })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  skip_hooks?: string;

  @ApiPropertyOptional({ enum: ['true', 'false'], description: 'As in the body.' })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  atomic?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_TIMEOUT_SECONDS, description: 'As in the body.' })
  @IsOptional()
  timeout?: string;

  override mergeInto<
    T extends DeploymentTarget & Pick<UndeployRequest, 'delete_volumes' | 'skip_hooks' | 'atomic' | 'timeout'>,
  >(target: T): T {
    target.delete_volumes ??= this.delete_volumes === 'true';
    target.skip_hooks ??= this.skip_hooks === 'true';
    target.atomic ??= this.atomic !== 'false';
    const timeout = this.timeout ? parseInteger('timeout', this.timeout, 0, 1, MAX_TIMEOUT_SECONDS) : undefined;
    target.timeout ??= timeout;
    return super.mergeInto(target);
  }
}

export class DeploymentListQuery extends OrganizationListQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'Only deployments of this workspace.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  workspace_id?: string;

  @ApiPropertyOptional({ format: 'uuid', description: 'Only deployments into this environment.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  environment_id?: string;

  @ApiPropertyOptional({ format: 'uuid', description: 'Only deployments of this design.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  design_id?: string;

  @WordInput(DEPLOYMENT_STATUSES, { optional: true, description: 'Only deployments with this status.' })
  status?: DeploymentStatus;
}

const FLAGS = ['create_namespace', 'move', 'replace', 'delete_volumes', 'adopt', 'force'] as const;

export function toOptions(request: PlanRequest): DeploymentOptions {
  const flags = FLAGS.flatMap((flag) => (request[flag] ? [[flag, true] as const] : []));
  return { ...(request.namespace ? { namespace: request.namespace } : {}), ...Object.fromEntries(flags) };
}
