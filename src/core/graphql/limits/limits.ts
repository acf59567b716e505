import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ParseOptions,
} from 'graphql';
import { type QuerySize, sizeOf } from './query-size.js';

/** What one operation may ask for; see QuerySize for how each is counted. */
export type QueryLimits = QuerySize;

export const DEFAULT_QUERY_LIMITS: QueryLimits = { depth: 12, cost: 5_000, aliases: 20 };

/** Bounds the work before an operation can be measured: parsing and validating. The introspection query has some 300 tokens. */
export const PARSE_OPTIONS: ParseOptions = { maxLexicalTokens: 5_000 };

const RULES = [
  {
    measure: 'depth',
    code: 'QUERY_TOO_DEEP',
    what: 'The operation is too deep',
    remedy: 'Ask for fewer levels of fields below one another, or in several operations.',
  },
  {
    measure: 'cost',
    code: 'QUERY_TOO_COSTLY',
    what: 'The operation asks for too many fields',
    remedy: 'Ask for fewer fields or for a smaller page; each field counts once for each item of the list it is in.',
  },
  {
    measure: 'aliases',
    code: 'TOO_MANY_ALIASES',
    what: 'The operation has too many aliases',
    remedy: 'Use fewer aliases, or several operations.',
  },
] as const;

/**
 * The first limit that the operation is over, as an error with `code`, `limit`, `actual` and `remedy` under its
 * extensions (and the HTTP status 400, which Apollo takes out again); null when it is within all of them.
 */
export function overLimit(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> | null | undefined,
  limits: QueryLimits,
): GraphQLError | null {
  const size = sizeOf(schema, document, operation, variables ?? {});
  const rule = RULES.find(({ measure }) => size[measure] > limits[measure]);
  if (!rule) return null;
  const [limit, actual] = [limits[rule.measure], size[rule.measure]];
  return new GraphQLError(`${rule.what}: its ${rule.measure} is ${actual}, the limit ${limit}.`, {
    nodes: operation,
    extensions: { code: rule.code, limit, actual, remedy: rule.remedy, http: { status: 400 } },
  });
}
