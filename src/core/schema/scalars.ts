import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';

const ISO_TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

function parseTime(value: unknown): Date {
  const day = typeof value === 'string' ? ISO_TIMESTAMP.exec(value)?.[1] : undefined;
  const time = new Date(day ? (value as string) : NaN);
  if (!day || Number.isNaN(time.getTime()) || !isCalendarDate(day))
    throw new GraphQLError('Time must be an ISO 8601 timestamp with a zone, such as 2026-01-31T09:30:00.000Z');
  return time;
}

/** `Date` accepts the 30th of February as a day in March. */
function isCalendarDate(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

function parseMap(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new GraphQLError('Map must be a JSON object');
  return value as Record<string, unknown>;
}

/** A time: serialized as ISO 8601 in UTC with milliseconds, parsed from ISO 8601 with any offset to a Date. */
export const GraphQLTime = new GraphQLScalarType<Date, string>({
  name: 'Time',
  description: 'An ISO 8601 timestamp in UTC with milliseconds.',
  serialize: (value) => (value instanceof Date ? value : parseTime(value)).toISOString(),
  parseValue: parseTime,
  parseLiteral: (node) => parseTime(node.kind === Kind.STRING ? node.value : undefined),
});

/** A JSON object. */
export const GraphQLMap = new GraphQLScalarType<Record<string, unknown>, unknown>({
  name: 'Map',
  description: 'A JSON object.',
  serialize: parseMap,
  parseValue: parseMap,
  parseLiteral: (node, variables) => parseMap(valueFromASTUntyped(node, variables)),
});

/** Any JSON value. */
export const GraphQLAny = new GraphQLScalarType<unknown, unknown>({
  name: 'Any',
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});
