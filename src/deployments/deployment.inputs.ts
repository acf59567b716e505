import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID } from 'class-validator';
import { Repeatable } from '../core/schema/repeatable.js';
import { OrganizationListQuery } from '../core/listing/list-query.js';
import { IsVersionNumber } from '../designs/versions/version-number.js';
import { FlagInput, IdInput, NameInput, TextInput } from '../core/schema/input-fields.js';

/** Where a design is deployed to: all that is left out is found, or the call is 400 and names the choices. */
export class DeploymentTarget {
  @IdInput({ optional: true, description: 'The design.' })
  id?: string;

  @IdInput({ optional: true, description: 'The same, for clients that know it by this name.' })
  pattern_id?: string;

  @IdInput({ optional: true })
  environment_id?: string;

  @ApiPropertyOptional({ type: String, isArray: true, format: 'uuid' })
  @IsOptional()
  @IsUUID('all', { each: true, message: 'must be a list of UUIDs' })
  connection_ids?: string[];
}

export class PlanRequest extends DeploymentTarget {
  @NameInput({ optional: true, description: 'Label of the deployment; the name of the design when it is left out.' })
  name?: string;

  @TextInput({ optional: true, max: 63, description: 'For objects that name none.' })
  namespace?: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'The number of a version; the current one when it is left out.',
  })
  @IsOptional()
  @IsVersionNumber()
  version?: number;

  @ApiPropertyOptional({
    description: 'Of a design of a Helm chart: values over those of the design, as YAML text or object.',
  })
  @IsOptional()
  values?: string | Record<string, unknown>;

  @FlagInput({ optional: true, description: 'Takes over objects that exist without an owner.' })
  adopt?: boolean;

  @FlagInput({ optional: true, description: 'Takes over fields that another manager set.' })
  force?: boolean;
}

export class DeployRequest extends PlanRequest {
  @FlagInput({ optional: true, description: 'Only plans.' })
  dry_run?: boolean;

  @FlagInput({ optional: true, description: 'Waits until workloads are ready.' })
  wait?: boolean;

  @FlagInput({
    optional: true,
    description: 'Takes back what was done when something fails; true unless said otherwise.',
  })
  atomic?: boolean;

  @IdInput({ optional: true, description: 'Applies exactly this plan.' })
  plan_id?: string;

  @FlagInput({ optional: true, description: 'Keeps it until an admin of the workspace approves.' })
  request_approval?: boolean;

  @TextInput({
    optional: true,
    max: 10_000_000,
    description: 'Of older clients; the stored design is what is deployed.',
  })
  pattern_file?: string;
}

export class UndeployRequest extends DeploymentTarget {}

export class RollbackRequest {
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The version to go back to; the one deployed before when it is left out.',
  })
  @IsOptional()
  @IsVersionNumber()
  version?: number;
}

/** Targets may come in the query too, for bodies of DELETE get lost in proxies. */
export class TargetQuery {
  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  id?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  environment_id?: string;

  @ApiPropertyOptional({ description: 'Ids of connections, separated by commas.' })
  @IsOptional()
  @Repeatable()
  connection_ids?: string | string[];

  @ApiPropertyOptional({ description: 'The same, for clients that know them by this name.' })
  @IsOptional()
  @Repeatable()
  contexts?: string | string[];

  @ApiPropertyOptional({ description: 'true: answers 202 at once.' })
  @IsOptional()
  @IsString()
  async?: string;

  /** What the body leaves out. */
  mergeInto<T extends DeploymentTarget>(target: T): T {
    const listed = [this.connection_ids ?? this.contexts ?? []]
      .flat()
      .flatMap((text) => text.split(','))
      .filter(Boolean);
    target.id ??= target.pattern_id ?? this.id;
    target.environment_id ??= this.environment_id;
    if (!target.connection_ids?.length && listed.length > 0) target.connection_ids = listed;
    return target;
  }
}

export class DeploymentListQuery extends OrganizationListQuery {
  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  workspace_id?: string;
}
