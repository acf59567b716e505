import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsISO8601, IsOptional, IsUUID, Matches, MaxLength, ValidateIf } from 'class-validator';
import { ListQuery } from '../../core/listing/list-query.js';
import { IdInput } from '../../core/schema/input-fields.js';
import { ACTOR_KINDS, OUTCOMES } from './audit.entity.js';

const MAX_FILTER_LENGTH = 200;
const CHECKPOINT = /^([1-9]\d{0,17}:[0-9a-f]{64})?$/;
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/;
const NOT_A_TIME = 'must be a time with its offset, such as 2027-01-31T18:00:00Z, or a date';

/** Conditions on entries, combined by AND. */
export interface AuditFilter {
  actor?: string;
  action?: string;
  resource?: string;
  outcome?: string;
  since?: string;
  until?: string;
}

/** A query parameter of limited length. */
const FilterParameter = (description: string, example: string, pattern?: string): PropertyDecorator => {
  const api = ApiPropertyOptional({ type: String, description, example, ...(pattern && { pattern }) });
  return (target, key) => {
    api(target, key);
    IsOptional()(target, key);
    MaxLength(MAX_FILTER_LENGTH, { message: `must have at most ${MAX_FILTER_LENGTH} characters` })(target, key);
  };
};

const TimeParameter = (description: string): PropertyDecorator => {
  const api = ApiPropertyOptional({
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', maxLength: 0 },
    ],
    description,
  });
  return (target, key) => {
    api(target, key);
    // Empty values are ignored.
    ValidateIf((_, value) => value !== undefined && value !== '')(target, key);
    IsISO8601({ strict: true }, { message: NOT_A_TIME })(target, key);
    Matches(TIME, { message: NOT_A_TIME })(target, key);
  };
};

const ACTOR =
  'The id of a user or service account, or a kind of actor: user, service_account, system, database, anonymous.';
const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}';
const ACTOR_PATTERN = `^(?:${UUID}|${ACTOR_KINDS.join('|')})?$`;
const ACTION =
  'A kind such as design.updated, all of a category as design.*, or the name of an operation that was refused.';
const RESOURCE_PATTERN = `^(?:${UUID}|[a-z_]+(?:[:/][\\s\\S]*)?)?$`;
const RESOURCE = 'The id of a record, a type such as workspace, or both as workspace:<id>.';

export class AuditListQuery extends ListQuery implements AuditFilter {
  @FilterParameter(ACTOR, 'system', ACTOR_PATTERN)
  actor?: string;

  @FilterParameter(ACTION, 'design.*')
  action?: string;

  @FilterParameter(RESOURCE, 'workspace', RESOURCE_PATTERN)
  resource?: string;

  @ApiPropertyOptional({ enum: OUTCOMES, description: 'Whether it was done or refused.' })
  @IsOptional()
  @IsIn([...OUTCOMES, ''], { message: `must be one of ${OUTCOMES.join(', ')}` })
  outcome?: string;

  @TimeParameter('Entries of this moment and later.')
  since?: string;

  @TimeParameter('Entries before this moment.')
  until?: string;
}

export class AuditExportQuery implements AuditFilter {
  @FilterParameter(ACTOR, 'system', ACTOR_PATTERN)
  actor?: string;

  @FilterParameter(ACTION, 'design.*')
  action?: string;

  @FilterParameter(RESOURCE, 'workspace', RESOURCE_PATTERN)
  resource?: string;

  @ApiPropertyOptional({ enum: OUTCOMES, description: 'Whether it was done or refused.' })
  @IsOptional()
  @IsIn([...OUTCOMES, ''], { message: `must be one of ${OUTCOMES.join(', ')}` })
  outcome?: string;

  @TimeParameter('Entries of this moment and later.')
  since?: string;

  @TimeParameter('Entries before this moment.')
  until?: string;
}

/** Optionally names a head that the caller stored elsewhere; verification checks that the chain still contains it. */
export class AuditVerifyQuery {
  @ApiPropertyOptional({
    pattern: CHECKPOINT.source,
    description: 'A head that you kept, as <sequence>:<hash>: the chain must still have it.',
    example: `1200:${'0'.repeat(64)}`,
  })
  @IsOptional()
  @Matches(CHECKPOINT, {
    message: 'must be the sequence and the hash of a checkpoint, as 12:<hash>',
  })
  checkpoint?: string;
}

/** Names the user whose personal data is erased. */
export class Erasure {
  @IdInput({ description: 'The user whose personal data is erased from the entries.' })
  @IsUUID('all', { message: 'must be a UUID' })
  user_id!: string;
}
