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
import { BUDGET_KEYS, findBudgetFault } from './budget.js';

const MAX_ENDPOINTS = 10;
export const MAX_URL = 2_048;

const ifSent = (optional: boolean): PropertyDecorator[] =>
  optional ? [ValidateIf((_, value) => value !== undefined)] : [];

export const EndpointsInput = (optional: boolean): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: String,
      isArray: true,
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
    MapInput({
      clearable: true,
      description: `Bounds of the figures of a run: ${BUDGET_KEYS.join(', ')}.`,
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
    MapInput({ clearable: true, description: 'When runs are made: `cron` (five fields) and `timezone` (IANA, UTC).' }),
    ValidateBy({
      name: 'isSchedule',
      validator: {
        validate: (value) => typeof value !== 'object' || value === null || isScheduleShape(value as object),
        defaultMessage: () => 'must have a cron expression as cron, and may have timezone',
      },
    }),
  );

function isScheduleShape(value: object): boolean {
  const { cron, timezone = 'UTC', ...more } = value as Record<string, unknown>;
  return typeof cron === 'string' && typeof timezone === 'string' && Object.keys(more).length === 0;
}
