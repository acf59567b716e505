import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Min,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { MapInput } from '../../core/schema/input-fields.js';
import { parsePrometheusDuration } from '../../core/durations.js';
import { HasMembers } from '../../core/schema/members.js';
import { BUDGET_KEYS, findBudgetFault } from './budget.js';

const MAX_ENDPOINTS = 10;
const MAX_STAGES = 20;
const MAX_DURATION = 20;
/** One request in a hundred seconds. */
const LEAST_RATE = 0.01;
export const MAX_URL = 2_048;

const ifSent = (optional: boolean): PropertyDecorator[] =>
  optional ? [ValidateIf((_, value) => value !== undefined)] : [];

export const EndpointsInput = (optional: boolean): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: MAX_URL, pattern: '^\\S+$' },
      required: !optional,
      minItems: 1,
      maxItems: MAX_ENDPOINTS,
      description: 'http and https addresses; a run is made against the first unless it names another.',
      example: ['https://shop.example.com/'],
    }),
    ...ifSent(optional),
    IsArray({ message: 'must be a list of addresses' }),
    ArrayMinSize(1, { message: 'must have at least one address' }),
    ArrayMaxSize(MAX_ENDPOINTS, { message: `must have at most ${MAX_ENDPOINTS} addresses` }),
    IsString({ each: true, message: 'must be strings' }),
    Length(1, MAX_URL, { each: true, message: `must have 1 to ${MAX_URL} characters each` }),
    Matches(/^\S+$/, { each: true, message: 'must be without spaces and line breaks' }),
  );

export const NumberInput = (least: number, description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: least, description }),
    ...ifSent(true),
    IsInt({ message: 'must be a whole number' }),
    Min(least, { message: `must be at least ${least}` }),
  );

/** Requests per second, also fractions. */
export const RateInput = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      anyOf: [
        { type: 'number', enum: [0] },
        { type: 'number', minimum: LEAST_RATE },
      ],
      description,
    }),
    ...ifSent(true),
    ValidateBy({
      name: 'isRate',
      validator: {
        validate: (value) => isRate(value),
        defaultMessage: () => `must be 0, or a number from ${LEAST_RATE}`,
      },
    }),
  );

export const StagesInput = (): PropertyDecorator =>
  applyDecorators(
    HasMembers('qps', 'duration'),
    ApiPropertyOptional({
      nullable: true,
      maxItems: MAX_STAGES,
      description:
        'How the rate changes: in each stage evenly from the rate before it (at first `qps`) to its `qps`, within its `duration`; one of `0s` is a step. They replace `duration`.',
      type: 'array',
      items: {
        type: 'object',
        properties: { qps: { type: 'number', minimum: 0 }, duration: { type: 'string' } },
        required: ['qps', 'duration'],
        additionalProperties: false,
      },
    }),
    IsOptional(),
    IsArray({ message: 'must be a list of stages' }),
    ArrayMaxSize(MAX_STAGES, { message: `must have at most ${MAX_STAGES} stages` }),
    ValidateBy({
      name: 'isStages',
      validator: {
        validate: (value) => !Array.isArray(value) || value.slice(0, MAX_STAGES).every(isStage),
        defaultMessage: () => 'must each have qps, a number, and duration, such as 30s',
      },
    }),
  );

const isRate = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && (value === 0 || value >= LEAST_RATE);

function isStage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { qps, duration } = value as Record<string, unknown>;
  return isRate(qps) && typeof duration === 'string' && stageSeconds(duration) !== undefined;
}

/** Returns the seconds of the duration of a stage, which may be none. */
export const stageSeconds = (duration: string): number | undefined =>
  /^0s?$/.test(duration) ? 0 : parsePrometheusDuration(duration.slice(0, MAX_DURATION));

export const RequestFieldsInput = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      description,
      nullable: true,
      oneOf: [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'string' }],
    }),
    IsOptional(),
  );

export const BudgetInput = (): PropertyDecorator =>
  applyDecorators(
    HasMembers(...BUDGET_KEYS),
    MapInput({
      clearable: true,
      description: 'Bounds of the figures of a run: lower for `min_rps`, upper for the others.',
      members: Object.fromEntries(
        BUDGET_KEYS.map((name) => [name, { type: 'number', minimum: 0, ...(name === 'error_rate' && { maximum: 1 }) }]),
      ),
    }),
    ValidateBy({
      name: 'isBudget',
      validator: {
        validate: (value) => typeof value !== 'object' || value === null || findBudgetFault(value) === undefined,
        defaultMessage: (argument) => findBudgetFault(argument?.value) ?? '',
      },
    }),
  );

export const ScheduleInput = (): PropertyDecorator =>
  applyDecorators(
    HasMembers('cron', 'timezone'),
    MapInput({
      clearable: true,
      description: 'When runs are made.',
      members: {
        cron: { type: 'string', description: 'Minute, hour, day of the month, month, day of the week.' },
        timezone: { type: 'string', default: 'UTC', description: 'An IANA time zone.' },
      },
      required: ['cron'],
    }),
    ValidateBy({
      name: 'isSchedule',
      validator: {
        validate: (value) => typeof value !== 'object' || value === null || isScheduleShape(value as object),
        defaultMessage: () => 'must have a cron expression as cron, and may have timezone',
      },
    }),
  );

function isScheduleShape(value: object): boolean {
  const { cron, timezone = 'UTC' } = value as Record<string, unknown>;
  return typeof cron === 'string' && typeof timezone === 'string';
}
