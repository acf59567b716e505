import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type ParseOptions,
  visit,
} from 'graphql';
import { type QuerySize, measureQuery } from './query-size.js';
import { isStandardIntrospection } from './standard-introspection.js';

/** What one operation may ask for; see QuerySize for how each is counted. */
export type QueryLimits = QuerySize;

export const DEFAULT_QUERY_LIMITS: QueryLimits = { depth: 12, cost: 5_000, aliases: 20 };

/** Bounds the work before an operation can be measured: parsing and validating. The introspection query has some 300 tokens. */
export const PARSE_OPTIONS: ParseOptions = { maxLexicalTokens: 2_000 };
/** Characters of a document, which tokens do not bound: comments and strings are of any length. */
const MAX_DOCUMENT_LENGTH = 50_000;
/** What one document may have of each, and how it is called. */
const DOCUMENT_PARTS = [
  { kind: Kind.OPERATION_DEFINITION, most: 25, name: 'operations' },
  { kind: Kind.FRAGMENT_DEFINITION, most: 50, name: 'fragments' },
  { kind: Kind.VARIABLE_DEFINITION, most: 50, name: 'variables' },
  { kind: Kind.DIRECTIVE, most: 50, name: 'directives' },
];
/** Errors that one answer lists. */
const MAX_ERRORS = 100;

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
  {
    measure: 'aliases',
    code: 'TOO_MANY_ALIASES',
    what: 'The operation has too many aliases',
    remedy: 'Use fewer aliases, or several operations.',
  },
] as const;

/** Why a document is not even parsed: it is longer than any that is written by hand. */
export function findLengthError(source: unknown): GraphQLError | null {
  if (typeof source !== 'string' || source.length <= MAX_DOCUMENT_LENGTH) return null;
  return limitError(
    'DOCUMENT_TOO_LARGE',
    'The document is too long',
    'size',
    MAX_DOCUMENT_LENGTH,
    source.length,
    SPLIT_REMEDY,
  );
}

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
        return limitError(
          'VARIABLES_TOO_LARGE',
          'The variables are too large',
          'count',
          MAX_VARIABLE_VALUES,
          count,
          SPLIT_REMEDY,
        );
      rest.push(member);
    }
  }
  return null;
}

/** At most so many errors as one answer lists. */
export const limitErrors = <E>(errors: readonly E[]): E[] => errors.slice(0, MAX_ERRORS);

/** The first part of which the document has too many. */
function findPartsError(document: DocumentNode): GraphQLError | null {
  const counts = new Map<Kind, number>();
  visit(document, { enter: ({ kind }) => void counts.set(kind, (counts.get(kind) ?? 0) + 1) });
  const over = DOCUMENT_PARTS.find(({ kind, most }) => (counts.get(kind) ?? 0) > most);
  if (!over) return null;
  const what = `The document has too many ${over.name}`;
  return limitError('DOCUMENT_TOO_LARGE', what, 'count', over.most, counts.get(over.kind) ?? 0, SPLIT_REMEDY);
}

/**
 * The first limit that the operation is over, as an error with `code`, `limit`, `actual` and `remedy` under its
 * extensions (and the HTTP status 400, which Apollo takes out again); null when it is within all of them. The introspection query
 * of tools is within all of them whatever the size of the schema.
 */
export function findLimitError(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> | null | undefined,
  limits: QueryLimits,
): GraphQLError | null {
  if (isStandardIntrospection(document, operation)) return null;
  const parts = findPartsError(document);
  if (parts) return parts;
  const size = measureQuery(schema, document, operation, variables ?? {});
  const rule = LIMIT_RULES.find(({ measure }) => size[measure] > limits[measure]);
  if (!rule) return null;
  return limitError(
    rule.code,
    rule.what,
    rule.measure,
    limits[rule.measure],
    size[rule.measure],
    rule.remedy,
    operation,
  );
}

const SPLIT_REMEDY = 'Send several documents, each with what it needs only.';

function limitError(
  code: string,
  what: string,
  measure: string,
  limit: number,
  actual: number,
  remedy: string,
  nodes?: OperationDefinitionNode,
): GraphQLError {
  return new GraphQLError(`${what}: its ${measure} is ${actual}, the limit ${limit}.`, {
    nodes,
    extensions: { code, limit, actual, remedy, http: { status: 400 } },
  });
}
