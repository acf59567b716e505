import type { Type } from '@nestjs/common';
import { Field, type FieldOptions, Float, ID, Int, registerEnumType } from '@nestjs/graphql';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { GraphQLAny, GraphQLMap, GraphQLTime } from './scalars.js';
import { describeField } from './field-descriptions.js';

/** What a field of a view may say about itself, once for both APIs. */
export interface ViewFieldOptions {
  description?: string;
  nullable?: boolean;
  /** Left out of some answers of REST; null in GraphQL. */
  optional?: boolean;
  /** Part of the REST record only. */
  rest?: true;
  /** Part of the GraphQL type only: another spelling of a field, as a getter. */
  graphql?: true;
  /** What it weighs in the cost of a GraphQL operation, when that is more than one. */
  weight?: number;
}

type Described = { api: ApiPropertyOptions; graphql: () => unknown };

const fieldNames = new WeakMap<object, Set<string>>();

/** The names of the fields of a view or input class, those of its ancestors included. */
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
/** Any JSON value: what a cluster says, as it says it. */
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
/** One of a few words; GraphQL shows it as String, as the interface does for the fields of records. */
export const WordField = (words: readonly string[], settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, enum: [...words] }, graphql: () => String }, settings);
/** Registers words as an enum of GraphQL, for `EnumField`. A name there has no spaces: `not found` is `not_found`. */
export function graphqlEnum<W extends string>(
  name: string,
  words: readonly W[],
  description: string,
): Record<string, W> {
  const values = Object.fromEntries(words.map((word) => [word.replaceAll(' ', '_'), word]));
  registerEnumType(values, { name, description });
  return values;
}
/** One of the words of an enum that was registered for GraphQL. */
export const EnumField = (words: Record<string, string>, settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, enum: Object.values(words) }, graphql: () => words }, settings);
/** OpenAPI takes an arrow for a lazy type only when its name is `type`: one that was passed in has none. */
const lazily = (record: () => abstract new (...args: never[]) => object) => ({ type: () => record() as Type });
export const RecordField = (record: () => abstract new (...args: never[]) => object, settings: ViewFieldOptions = {}) =>
  field({ api: lazily(record), graphql: record }, settings);
export const RecordsField = (
  record: () => abstract new (...args: never[]) => object,
  settings: ViewFieldOptions = {},
) => field({ api: { ...lazily(record), isArray: true }, graphql: () => [record()] }, settings);
