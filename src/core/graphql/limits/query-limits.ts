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
import { ALIAS_RULE, findPartsError, MAX_ALIASES, SPLIT_REMEDY } from './document-limits.js';
import { limitError } from './limit-error.js';
import { type QuerySize, measureQuery } from './query-size.js';
import { isStandardIntrospection } from './standard-introspection.js';

/** The maximum size of an operation; see QuerySize for how each part is measured. */
export const QUERY_LIMITS: Readonly<QuerySize> = { depth: 12, cost: 5_000, aliases: MAX_ALIASES };

const LIMIT_RULES = [
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
    remedy:
      'Ask for fewer fields or for a smaller page; each field counts once for each item of the list it is in, one with contents as 40.',
  },
  ALIAS_RULE,
] as const;

/** The maximum number of values in the variables of one operation: graphql-js prints every unexpected one. */
const MAX_VARIABLE_VALUES = 500;

/** Returns an error when the variables have more values than any input of the schema needs. */
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

/** Limits the number of errors in a response. */
export const limitErrors = <E>(errors: readonly E[]): E[] => errors.slice(0, MAX_FAULTS);

/**
 * Returns an error for the first limit that the operation exceeds, with `code`, `limit`, `actual` and `remedy` in
 * its extensions (and the HTTP status 400, which Apollo removes); null within all limits. The standard introspection
 * query always passes; other operations that only introspect may cost as much as it does.
 */
export function findLimitError(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> | null | undefined,
): GraphQLError | null {
  if (!schema.getRootType(operation.operation)) return missingRootError(operation);
  if (isStandardIntrospection(document, operation)) return null;
  const parts = findPartsError(document);
  if (parts) return parts;
  const size = measureQuery(schema, document, operation, variables ?? {});
  const { cost } = QUERY_LIMITS;
  const allowed = {
    ...QUERY_LIMITS,
    cost: isIntrospection(operation) ? Math.max(cost, getIntrospectionCost(schema)) : cost,
  };
  const rule = LIMIT_RULES.find(({ measure }) => size[measure] > allowed[measure]);
  if (!rule) return null;
  return limitError({ ...rule, limit: allowed[rule.measure], actual: size[rule.measure] }, operation);
}

/** Reports whether the operation selects the schema only, and once: `{ __schema { types { name } } }`. */
function isIntrospection({ selectionSet: { selections } }: OperationDefinitionNode): boolean {
  const [first] = selections;
  return selections.length === 1 && first?.kind === Kind.FIELD && first.name.value.startsWith('__');
}

const introspectionCosts = new WeakMap<GraphQLSchema, number>();

/** The cost of the standard introspection query, which grows with the schema. */
function getIntrospectionCost(schema: GraphQLSchema): number {
  const known = introspectionCosts.get(schema);
  if (known !== undefined) return known;
  const document = parse(getIntrospectionQuery());
  const operation = getOperationAST(document);
  const cost = operation ? measureQuery(schema, document, operation, {}).cost : 0;
  introspectionCosts.set(schema, cost);
  return cost;
}

/** Rejects operations of a root type that the schema does not have; validation does not, because their fields have no type. */
const missingRootError = (operation: OperationDefinitionNode): GraphQLError =>
  new GraphQLError(`The schema has no ${operation.operation}s.`, {
    nodes: operation,
    extensions: {
      code: 'GRAPHQL_VALIDATION_FAILED',
      remedy: 'Read the schema at /api/docs/schema.graphql; records are changed over REST.',
      http: { status: 400 },
    },
  });
