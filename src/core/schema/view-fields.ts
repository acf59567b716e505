import { Field, type FieldOptions, Float, ID, Int } from '@nestjs/graphql';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { GraphQLMap, GraphQLTime } from '../graphql/scalars.js';

/** What a field of a view may say about itself, once for both APIs. */
export interface ViewFieldOptions {
  description?: string;
  nullable?: boolean;
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
  const { description, nullable = false, rest, weight: complexity } = settings;
  return (target, key) => {
    if (!rest)
      Field(graphql as () => typeof String, { description, nullable, complexity } as FieldOptions)(target, key);
    if (settings.graphql) return;
    const own = fieldNames.get(target) ?? new Set<string>();
    fieldNames.set(target, own.add(String(key)));
    ApiProperty({ description, required: true, ...(nullable ? { nullable: true } : {}), ...api } as ApiPropertyOptions)(
      target,
      key,
    );
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
export const MapsField = (settings: ViewFieldOptions = {}) =>
  field(
    { api: { type: 'object', isArray: true, additionalProperties: true } as never, graphql: () => [GraphQLMap] },
    settings,
  );
export const TextsField = (settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, isArray: true }, graphql: () => [String] }, settings);
/** One of a few words; GraphQL shows it as String, as the interface does for the fields of records. */
export const WordField = (words: readonly string[], settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, enum: [...words] }, graphql: () => String }, settings);
/** One of the words of an enum that was registered for GraphQL. */
export const EnumField = (words: Record<string, string>, settings: ViewFieldOptions = {}) =>
  field({ api: { type: String, enum: Object.values(words) }, graphql: () => words }, settings);
export const RecordField = (type: () => abstract new (...args: never[]) => object, settings: ViewFieldOptions = {}) =>
  field({ api: { type: type as () => never }, graphql: type }, settings);
export const RecordsField = (type: () => abstract new (...args: never[]) => object, settings: ViewFieldOptions = {}) =>
  field({ api: { type: type as () => never, isArray: true }, graphql: () => [type()] }, settings);
