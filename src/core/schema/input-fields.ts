import { applyDecorators } from '@nestjs/common';
import { Field, ID, Int } from '@nestjs/graphql';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmptyObject,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { IsBoundedMap } from './bounded-map.js';
import { IsTime } from './is-time.js';
import { IsName, NAME_PATTERN, OneLine, OPTIONAL_NAME_PATTERN } from './one-line-text.js';
import { GraphQLMap } from './scalars.js';
import { FREE_OBJECT } from './view-fields.js';

/** The schema of what may be text or an object, such as the values of a chart. */
export const TEXT_OR_OBJECT = [{ type: 'string' }, FREE_OBJECT];

/** Whether a field of an input may be missing. */
export interface InputFieldOptions {
  description?: string;
  /** The field may be omitted. */
  optional?: boolean;
  /** The field may be omitted or null; null clears it. */
  clearable?: boolean;
  /** The value must not be empty; as for every required text and object. */
  filled?: boolean;
}

const isFilled = ({ optional, clearable, filled }: InputFieldOptions): boolean => filled ?? !(optional || clearable);

function presenceValidators({ optional, clearable }: InputFieldOptions): PropertyDecorator[] {
  if (clearable) return [IsOptional()];
  return optional ? [ValidateIf((_, value) => value !== undefined)] : [];
}

function input(
  api: Record<string, unknown>,
  graphql: () => unknown,
  rules: PropertyDecorator[],
  settings: InputFieldOptions,
): PropertyDecorator {
  const missing = Boolean(settings.optional || settings.clearable);
  return applyDecorators(
    Field(graphql as () => typeof String, { description: settings.description, nullable: missing }),
    ApiProperty({
      description: settings.description,
      required: !missing,
      ...(settings.clearable ? { nullable: true } : {}),
      ...api,
    }),
    ...presenceValidators(settings),
    ...rules,
  );
}

/** The name of a record: 1 to 255 characters in one line, some of them visible; composed and without outer space. */
export const NameInput = (settings: InputFieldOptions = {}) =>
  input(
    { type: String, minLength: 1, maxLength: 255, pattern: NAME_PATTERN },
    () => String,
    [
      OneLine(),
      IsString({ message: 'must be a string' }),
      IsName(),
      Length(1, 255, { message: 'must have 1 to 255 characters' }),
    ],
    settings,
  );

/** Free text of at most `max` characters; default 10,000. */
export const TextInput = ({
  max = 10_000,
  pattern,
  ...settings
}: InputFieldOptions & { max?: number; pattern?: string } = {}) =>
  input(
    { type: String, ...(isFilled(settings) ? { minLength: 1 } : {}), maxLength: max, ...(pattern && { pattern }) },
    () => String,
    [
      IsString({ message: 'must be a string' }),
      ...(isFilled(settings) ? [Matches(/\S/, { message: 'must not be empty' })] : []),
      MaxLength(max, { message: `must have at most ${max} characters` }),
    ],
    settings,
  );

/** One line of text that may be empty, such as the name of a person. */
export const LineInput = (settings: InputFieldOptions = {}) =>
  applyDecorators(
    TextInput({ max: 255, pattern: OPTIONAL_NAME_PATTERN, ...settings }),
    OneLine(),
    IsName({ allowEmpty: true }),
  );

export const IdInput = (settings: InputFieldOptions = {}) =>
  input({ type: String, format: 'uuid' }, () => ID, [IsUUID('all', { message: 'must be a UUID' })], settings);

/** A time with its offset from UTC. */
export const TimeInput = (settings: InputFieldOptions = {}) =>
  input(
    { type: String, format: 'date-time' },
    () => String,
    [
      IsTime(),
      Matches(/^\d{4}-[^T]*T.*(Z|[+-]\d\d(:?\d\d)?)$/, {
        message: 'must be a time with its offset, such as 2027-01-31T18:00:00Z',
      }),
    ],
    settings,
  );

/** An integer within these bounds. */
export const IntegerInput = ({ min, max, ...settings }: InputFieldOptions & { min: number; max: number }) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return input(
    { type: 'integer', minimum: min, maximum: max },
    () => Int,
    [IsInt({ message }), Min(min, { message }), Max(max, { message })],
    settings,
  );
};

export const WordInput = (words: readonly string[], settings: InputFieldOptions = {}) =>
  input(
    { type: String, enum: [...words] },
    () => String,
    [IsIn(words, { message: `must be one of ${words.join(', ')}` })],
    settings,
  );

/** The schemas of the members of an object, where others are refused. */
type MemberSchemas = Readonly<Record<string, object>>;

interface MapShape {
  members?: MemberSchemas;
  required?: readonly string[];
  /** The schemas of its forms, of which it has at least one. */
  forms?: readonly object[];
  /** The schema of the values of other members. */
  values?: object;
}

/** An object: with these members, or with any. */
export const MapInput = (settings: InputFieldOptions & MapShape = {}) =>
  input(
    mapSchema(settings),
    () => GraphQLMap,
    [
      IsObject({ message: 'must be an object' }),
      ...(isFilled(settings) ? [IsNotEmptyObject({}, { message: 'must not be empty' })] : []),
    ],
    settings,
  );

function mapSchema(settings: InputFieldOptions & MapShape): Record<string, unknown> {
  const { members, required, values, forms } = settings;
  // Beside alternatives the document has no type of their own.
  if (forms) return { anyOf: forms.map((form) => ({ ...FREE_OBJECT, ...form })) };
  return {
    ...(members ? { type: 'object', properties: members, additionalProperties: false } : FREE_OBJECT),
    ...(required && { required, selfRequired: !(settings.optional || settings.clearable) }),
    ...(values && { additionalProperties: values }),
    ...(isFilled(settings) ? { minProperties: 1 } : {}),
  };
}

/** An object with arbitrary keys and limited size that the record stores. */
export const MetadataInput = (settings: InputFieldOptions & MapShape = {}) =>
  applyDecorators(MapInput(settings), IsBoundedMap());

export const FlagInput = (settings: InputFieldOptions = {}) =>
  input({ type: Boolean }, () => Boolean, [IsBoolean({ message: 'must be true or false' })], settings);

const FLAG_VALUES = [true, false, 'true', 'false'];

/** Whether a value is a flag, as JSON or as forms send it. */
export const isFormFlag = (value: unknown): boolean => FLAG_VALUES.some((flag) => flag === value);

/** An optional flag, which forms send as text; `parseFlag` parses it. */
export const FormFlagInput = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: Boolean, description }),
    IsOptional(),
    IsIn(FLAG_VALUES, { message: 'must be true or false' }),
  );

export const parseFlag = (flag: boolean | string | undefined, preset: boolean): boolean =>
  flag === undefined ? preset : String(flag) === 'true';
