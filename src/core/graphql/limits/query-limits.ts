import {
  type DocumentNode,
  getIntrospectionQuery,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { MAX_FAULTS } from '../../errors/app-error.js';
import { limitRemedy } from '../../errors/limit-remedy.js';
import { ALIAS_RULE, findPartsError, SPLIT_REMEDY } from './document-limits.js';
import { limitError } from './limit-error.js';
import { type QuerySize, measureQuery } from './query-size.js';
import { isStandardIntrospection } from './standard-introspection.js';

/** What one operation may ask for; see QuerySize for how each is counted. */
export type QueryLimits = QuerySize;

export const DEFAULT_QUERY_LIMITS: QueryLimits = { depth: 12, cost: 5_000, aliases: 20 };

const LIMIT_RULES = [
  {
    measure: 'depth',
    code: 'QUERY_TOO_DEEP',
    what: 'The operation is too deep',
    setting: 'LIMIT_GRAPHQL_DEPTH',
    remedy: 'Ask for fewer levels of fields below one another, or in several operations.',
  },
  {
    measure: 'cost',
    code: 'QUERY_TOO_COSTLY',
    what: 'The operation asks for too many fields',
    setting: 'LIMIT_GRAPHQL_COST',
    remedy:
      'Ask for fewer fields or for a smaller page; each field counts once for each item of the list it is in, one with contents as 40.',
  },
  ALIAS_RULE,
] as const;

/** Values that the variables of one operation may hold: graphql-js names and prints each that it does not expect. */
const MAX_VARIABLE_VALUES = 500;

/** Why variables are not even coerced: no input of the schema has as many values. */
export function findVariablesError(variables: unknown): GraphQLError | null {
  const rest = [variables];
  let count = 0;
  for (let value = rest.pop(); value !== undefined || rest.length > 0; value = rest.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) {
      count += 1;
      if (count > MAX_VARIABLE_VALUES)
        return limitError({
          code: 'VARIABLES_TOO_LARGE',
          what: 'The variables are too large',
          measure: 'count',
          limit: MAX_VARIABLE_VALUES,
          actual: count,
          remedy: SPLIT_REMEDY,
        });
      rest.push(member);
    }
  }
  return null;
}

/** At most so many errors as one answer lists. */
export const limitErrors = <E>(errors: readonly E[]): E[] => errors.slice(0, MAX_FAULTS);

/**
 * The first limit that the operation is over, as an error with `code`, `limit`, `actual` and `remedy` under its
 * extensions (and the HTTP status 400, which Apollo takes out again); null when it is within all of them. The introspection query
 * of tools is within all of them whatever the size of the schema, and another one that asks for nothing else may cost as much.
 */
export function findLimitError(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> | null | undefined,
  limits: QueryLimits,
): GraphQLError | null {
  if (!schema.getRootType(operation.operation)) return missingRootError(operation);
  if (isStandardIntrospection(document, operation)) return null;
  const parts = findPartsError(document);
  if (parts) return parts;
  const size = measureQuery(schema, document, operation, variables ?? {});
  const cost = isIntrospection(operation) ? Math.max(limits.cost, getIntrospectionCost(schema)) : limits.cost;
  const allowed = { ...limits, cost };
  const rule = LIMIT_RULES.find(({ measure }) => size[measure] > allowed[measure]);
  if (!rule) return null;
  const { code, what, measure, remedy, setting } = rule;
  const exceeded = { code, what, measure, limit: allowed[measure], actual: size[measure] };
  return limitError({ ...exceeded, remedy: limitRemedy(remedy, setting) }, operation);
}

/** Whether the operation asks for the schema alone, and once: `{ __schema { types { name } } }`. */
function isIntrospection({ selectionSet: { selections } }: OperationDefinitionNode): boolean {
  const [first] = selections;
  return selections.length === 1 && first?.kind === Kind.FIELD && first.name.value.startsWith('__');
}

const introspectionCosts = new WeakMap<GraphQLSchema, number>();

/** What the introspection query of tools costs, which grows with the schema. */
function getIntrospectionCost(schema: GraphQLSchema): number {
  const known = introspectionCosts.get(schema);
  if (known !== undefined) return known;
  const document = parse(getIntrospectionQuery());
  const operation = getOperationAST(document);
  const cost = operation ? measureQuery(schema, document, operation, {}).cost : 0;
  introspectionCosts.set(schema, cost);
  return cost;
}

/** Validation passes operations of a type that the schema does not have, for their fields are those of no type. */
const missingRootError = (operation: OperationDefinitionNode): GraphQLError =>
  new GraphQLError(`The schema has no ${operation.operation}s.`, {
    nodes: operation,
    extensions: {
      code: 'GRAPHQL_VALIDATION_FAILED',
      remedy: 'Read the schema at /api/docs/schema.graphql; records are changed over REST.',
      http: { status: 400 },
    },
  });
