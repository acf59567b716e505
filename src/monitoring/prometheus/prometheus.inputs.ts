import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { Repeatable } from '../../core/schema/repeatable.js';
import { parseTime } from './query-time.js';
import { parsePrometheusDuration } from '../../core/durations.js';

const MAX_QUERY_LENGTH = 4_096;
const MAX_SELECTORS = 10;
const MAX_LIMIT = 10_000;
const TIME_FORMS = 'As RFC 3339 or in Unix seconds.';

const rule = (name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator =>
  ValidateBy({ name, validator: { validate, defaultMessage: () => message } });

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && /\S/.test(value) && value.length <= most;

const QueryParameter = () =>
  applyDecorators(
    ApiProperty({ description: 'An expression of PromQL.', minLength: 1, maxLength: MAX_QUERY_LENGTH, example: 'up' }),
    rule(
      'promql',
      (value) => isText(value, MAX_QUERY_LENGTH),
      `must be an expression of 1 to ${MAX_QUERY_LENGTH} characters`,
    ),
  );

const TIME_RULE = rule(
  'time',
  (value) => typeof value === 'string' && parseTime(value) !== undefined,
  'must be a time as RFC 3339 (2026-01-31T12:00:00Z) or in Unix seconds',
);
const RequiredTime = (description: string) =>
  applyDecorators(ApiProperty({ description: `${description} ${TIME_FORMS}` }), TIME_RULE);
const OptionalTime = (description: string) =>
  applyDecorators(ApiPropertyOptional({ description: `${description} ${TIME_FORMS}` }), IsOptional(), TIME_RULE);

const LimitParameter = (what: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: `${what} in the response.` }),
    IsOptional(),
    rule(
      'limit',
      (value) => typeof value === 'string' && /^[1-9]\d{0,4}$/.test(value) && Number(value) <= MAX_LIMIT,
      `must be an integer from 1 to ${MAX_LIMIT}`,
    ),
  );

/** An instant query. */
export class InstantQuery {
  @QueryParameter()
  query!: string;

  @OptionalTime('The time of evaluation, now unless given.')
  time?: string;

  @LimitParameter('Series')
  limit?: string;
}

/** A range query. */
export class RangeQuery {
  @QueryParameter()
  query!: string;

  @RequiredTime('The first point.')
  start!: string;

  @RequiredTime('The last point, included.')
  end!: string;

  @ApiProperty({
    description: 'Between two points, in seconds or as a duration; at most 11,000 points.',
    example: '15s',
  })
  @rule(
    'step',
    (value) => typeof value === 'string' && parsePrometheusDuration(value) !== undefined,
    'must be a duration above zero, in seconds (15) or with units (1m30s)',
  )
  step!: string;

  @LimitParameter('Series')
  limit?: string;
}

/** A query for label names. */
export class LabelsQuery {
  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_SELECTORS,
    description: 'Selectors of the series whose labels are listed, such as `up{job="api"}`; may be repeated.',
  })
  @IsOptional()
  @Repeatable()
  @rule(
    'selectors',
    (value) => [value].flat().length <= MAX_SELECTORS && [value].flat().every((each) => isText(each, MAX_QUERY_LENGTH)),
    `must be at most ${MAX_SELECTORS} selectors of 1 to ${MAX_QUERY_LENGTH} characters`,
  )
  'match[]'?: string | string[];

  @OptionalTime('Series that end before are left out.')
  start?: string;

  @OptionalTime('Series that begin after are left out.')
  end?: string;

  @LimitParameter('Names')
  limit?: string;
}

/** A query for the metadata of metrics. */
export class MetadataQuery {
  @ApiPropertyOptional({ description: 'The name of one metric; all of them unless given.', maxLength: 500 })
  @IsOptional()
  @rule('metric', (value) => isText(value, 500), 'must have 1 to 500 characters')
  metric?: string;

  @LimitParameter('Metrics')
  limit?: string;
}
