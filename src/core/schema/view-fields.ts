import type { Type } from '@nestjs/common';
import { Field, type FieldOptions, Float, ID, Int, registerEnumType } from '@nestjs/graphql';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { GraphQLAny, GraphQLMap, GraphQLTime } from './scalars.js';
import { describeField } from './field-descriptions.js';

/** An object that may have any members. */
export const FREE_OBJECT = { type: 'object', additionalProperties: true } as const;

/** The schema of any JSON value; a schema without a type would get that of the property's TypeScript type. */
export const ANY_JSON = [
  FREE_OBJECT,
  { type: 'array', items: {} },
  { type: 'string' },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'null' },
];

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

type ViewClass = abstract new (...args: never[]) => object;

interface ShapeOption {
  /** The view whose fields the object has over REST. */
  of?: () => ViewClass;
}

type Described = { api: ApiPropertyOptions; graphql: () => unknown };

const fieldNames = new WeakMap<object, Set<string>>();

/** The field names of a view or input class and its ancestors. */
export function getFieldNames(type: ViewClass): Set<string> {
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

/** `@nestjs/swagger` detects a lazy type by an arrow function named `type`. */
const lazily = (record: () => ViewClass) => ({ type: () => record() as Type });

export const IdField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, format: 'uuid' }, graphql: () => ID }, settings);
export const TextField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: String }, graphql: () => String }, settings);
export const IntField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: 'integer' }, graphql: () => Int }, settings);
export const NumberField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: Number }, graphql: () => Float }, settings);
export const NumbersField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: Number, isArray: true }, graphql: () => [Float] }, settings);
export const FlagField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: Boolean }, graphql: () => Boolean }, settings);
export const TimeField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, format: 'date-time' }, graphql: () => GraphQLTime }, settings);
/** An object: in GraphQL a Map; over REST with the fields of `of`, or with any members, of which `members` are known. */
export const MapField = ({
  of,
  members,
  ...settings
}: ViewFieldOptions & ShapeOption & { members?: Readonly<Record<string, object>> } = {}) =>
  field(
    {
      api: of ? lazily(of) : { ...FREE_OBJECT, ...(members && { properties: members }) },
      graphql: () => GraphQLMap,
    },
    settings,
  );
/** Any JSON value, such as a part of a cluster's response. */
export const AnyField = (settings: ViewFieldOptions = {}) =>
  field({ api: { anyOf: ANY_JSON }, graphql: () => GraphQLAny }, settings);
export const MapsField = ({ of, ...settings }: ViewFieldOptions & ShapeOption = {}) =>
  field(
    {
      api: of ? { ...lazily(of), isArray: true } : { type: 'array', items: FREE_OBJECT },
      graphql: () => [GraphQLMap],
    },
    settings,
  );
/** The problem of what failed; null while it has not. */
export const ProblemField = (settings: Pick<ViewFieldOptions, 'description'>) =>
  field(
    { api: { anyOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'null' }] }, graphql: () => GraphQLMap },
    { ...settings, rest: true },
  );
/** A list of pairs of a number and a text. */
export const PairsField = (settings: ViewFieldOptions = {}) =>
  field(
    {
      api: {
        type: 'array',
        items: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'string' }] }, minItems: 2, maxItems: 2 },
      },
      graphql: () => [GraphQLAny],
    },
    settings,
  );
/** An object whose members have one schema, under names of their own. */
export const MapOfField = (schema: object, settings: ViewFieldOptions = {}) =>
  field({ api: { type: 'object', additionalProperties: schema }, graphql: () => GraphQLMap }, settings);
/** An object whose members are whole numbers under names of their own. */
export const CountsField = (settings: ViewFieldOptions = {}) => MapOfField({ type: 'integer' }, settings);
/** An object whose members are texts under names of their own. */
export const TextMapField = (settings: ViewFieldOptions = {}) => MapOfField({ type: 'string' }, settings);
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
export const RecordField = (record: () => ViewClass, settings: ViewFieldOptions = {}) =>
  field({ api: lazily(record), graphql: record }, settings);
export const RecordsField = (record: () => ViewClass, settings: ViewFieldOptions = {}) =>
  field({ api: { ...lazily(record), isArray: true }, graphql: () => [record()] }, settings);
