import type { Type } from '@nestjs/common';
import { Field, type FieldOptions, Float, ID, Int, registerEnumType } from '@nestjs/graphql';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { GraphQLAny, GraphQLMap, GraphQLTime } from './scalars.js';
import { describeField } from './field-descriptions.js';

/** The options of a view field, for both APIs. */
export interface ViewFieldOptions {
  description?: string;
  nullable?: boolean;
  /** The field is absent from some REST responses and null in GraphQL. */
  optional?: boolean;
  /** REST only. */
  rest?: true;
  /** GraphQL only: another spelling of a field, as a getter. */
  graphql?: true;
  /** The weight in the cost of a GraphQL operation; default 1. */
  weight?: number;
}

type Described = { api: ApiPropertyOptions; graphql: () => unknown };

const fieldNames = new WeakMap<object, Set<string>>();

/** The field names of a view or input class and its ancestors. */
export function getFieldNames(type: abstract new (...args: never[]) => object): Set<string> {
  const found = new Set<string>();
  for (
    let at = type.prototype as object | null;
    at && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object | null
  )
    fieldNames.get(at)?.forEach((name) => found.add(name));
  return found;
}

function field({ api, graphql }: Described, settings: ViewFieldOptions): PropertyDecorator {
  const { nullable = false, optional = false, rest, weight: complexity } = settings;
  return (target, key) => {
    const description = settings.description ?? describeField(String(key));
    if (!rest)
      Field(
        graphql as () => typeof String,
        { description, nullable: nullable || optional, complexity } as FieldOptions,
      )(target, key);
    if (settings.graphql) return;
    const own = fieldNames.get(target) ?? new Set<string>();
    fieldNames.set(target, own.add(String(key)));
    ApiProperty({
      description,
      required: !optional,
      ...(nullable ? { nullable: true } : {}),
      ...api,
    } as ApiPropertyOptions)(target, key);
  };
}

export const IdField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, format: 'uuid' }, graphql: () => ID }, settings);
export const TextField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: String }, graphql: () => String }, settings);
export const IntField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: 'integer' }, graphql: () => Int }, settings);
export const NumberField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: Number }, graphql: () => Float }, settings);
export const FlagField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: Boolean }, graphql: () => Boolean }, settings);
export const TimeField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, format: 'date-time' }, graphql: () => GraphQLTime }, settings);
export const MapField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: 'object', additionalProperties: true }, graphql: () => GraphQLMap }, settings);
/** Any JSON value, such as a part of a cluster's response. */
export const AnyField = (settings: ViewFieldOptions = {}) => field({ api: {}, graphql: () => GraphQLAny }, settings);
export const MapsField = (settings: ViewFieldOptions = {}) =>
  field(
    {
      api: { type: 'object', isArray: true, additionalProperties: true },
      graphql: () => [GraphQLMap],
    },
    settings,
  );
export const TextsField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, isArray: true }, graphql: () => [String] }, settings);
/** An enumerated string; GraphQL uses the type String, as the interface specifies for record fields. */
export const WordField = (words: readonly string[], settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, enum: [...words] }, graphql: () => String }, settings);
/** Registers a GraphQL enum for `EnumField`. Names have no spaces: `not found` becomes `not_found`. */
export function graphqlEnum<W extends string>(
  name: string,
  words: readonly W[],
  description: string,
): Record<string, W> {
  const values = Object.fromEntries(words.map((word) => [word.replaceAll(' ', '_'), word]));
  registerEnumType(values, { name, description });
  return values;
}
/** A value of a registered GraphQL enum. */
export const EnumField = (words: Record<string, string>, settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, enum: Object.values(words) }, graphql: () => words }, settings);
/** `@nestjs/swagger` detects a lazy type by an arrow function named `type`. */
const lazily = (record: () => abstract new (...args: never[]) => object) => ({ type: () => record() as Type });
export const RecordField = (record: () => abstract new (...args: never[]) => object, settings: ViewFieldOptions = {}) =>
  field({ api: lazily(record), graphql: record }, settings);
export const RecordsField = (
  record: () => abstract new (...args: never[]) => object,
  settings: ViewFieldOptions = {},
) => field({ api: { ...lazily(record), isArray: true }, graphql: () => [record()] }, settings);
