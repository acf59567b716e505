import { ApolloServerErrorCode } from '@apollo/server/errors';
import type { SubscribePayload } from 'graphql-ws';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLField,
  type GraphQLFormattedError,
  type GraphQLSchema,
  createSourceEventStream,
  execute,
  getOperationAST,
  getVariableValues,
  isLeafType,
  isObjectType,
  getNamedType,
  print,
} from 'graphql';
import { createHash } from 'node:crypto';
import { findDocumentError } from '../limits/document-limits.js';
import { findLimitError, findVariablesError } from '../limits/query-limits.js';
import type { DocumentCache } from './document-cache.js';
import type { SocketOptions } from './socket-options.js';
import { type SendResults, SubscriptionResults } from './subscription-results.js';

/** The default of graphql-js. */
const MAX_VARIABLE_ERRORS = 50;

/** Returns the operation to execute, or the errors that prevent it, with the codes that Apollo uses over HTTP. */
export function prepareExecution(
  schema: GraphQLSchema,
  { query, operationName, variables }: SubscribePayload,
  documents: DocumentCache,
): ExecutionArgs | GraphQLError[] {
  const tooLong = findDocumentError(query) ?? findVariablesError(variables);
  if (tooLong) return [tooLong];
  const document = readDocument(schema, query, documents);
  if (document instanceof GraphQLError) return [document];
  if (!('kind' in document)) return document.map(withCode(ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED));

  const operation = getOperationAST(document, operationName);
  if (!operation) {
    const message = operationName
      ? `Unknown operation named "${operationName}".`
      : 'Must provide operation name if query contains multiple operations.';
    return [withCode(ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE)(new GraphQLError(message))];
  }
  const tooLarge = findLimitError(schema, document, operation, variables);
  if (tooLarge) return [tooLarge];

  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {}, {
    maxErrors: MAX_VARIABLE_ERRORS,
  });
  if (errors) return errors.map(withCode(ApolloServerErrorCode.BAD_USER_INPUT));
  return { schema, document, operationName, variableValues: variables };
}

function readDocument(
  schema: GraphQLSchema,
  query: string,
  documents: DocumentCache,
): DocumentNode | readonly GraphQLError[] | GraphQLError {
  try {
    return documents.read(schema, query);
  } catch (error) {
    return withCode(ApolloServerErrorCode.GRAPHQL_PARSE_FAILED)(toGraphQLError(error));
  }
}

function withCode(code: string): (error: GraphQLError) => GraphQLError {
  return (error) => {
    error.extensions['code'] ??= code;
    return error;
  };
}

/** Wraps a thrown value as graphql-js does. */
export function toGraphQLError(thrown: unknown): GraphQLError {
  if (thrown instanceof GraphQLError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new GraphQLError(error.message, { originalError: error });
}

/** Formats an error as Apollo does over HTTP: always with a code, without HTTP extensions. */
export function formatSocketError(
  error: GraphQLError,
  formatError: SocketOptions['formatError'],
): GraphQLFormattedError {
  const { http: _http, code = ApolloServerErrorCode.INTERNAL_SERVER_ERROR, ...extensions } = error.extensions;
  try {
    return formatError({ ...error.toJSON(), extensions: { ...extensions, code } }, error);
  } catch {
    return { message: 'Internal server error', extensions: { code: ApolloServerErrorCode.INTERNAL_SERVER_ERROR } };
  }
}

/**
 * Subscribes as graphql-js does, but resolves each message in a new context, because loaders cache data that the
 * next message makes stale, and the actor may have changed. The consumer requests a message after it has sent the
 * previous one. A message for many subscribers is resolved and serialized once per operation, provided that no
 * resolver depends on the caller.
 * @param sendResults sends serialized results; the iterator returns all others
 */
export async function subscribeWithFreshContext(
  args: ExecutionArgs,
  context: () => object,
  sendResults?: SendResults,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return source;
  const operation = answersAreShared(args) ? operationKey(args) : undefined;
  const resolve = (rootValue: unknown) => execute({ ...args, rootValue, contextValue: context() });
  return new SubscriptionResults(source[Symbol.asyncIterator](), resolve, operation, sendResults);
}

/** Reports whether no resolver of the subscription's fields depends on the caller. */
function answersAreShared({ schema, document, operationName }: ExecutionArgs): boolean {
  const subscribed = schema.getSubscriptionType()?.getFields() ?? {};
  const selections = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  return selections.every((selection) => {
    const field = 'name' in selection ? subscribed[selection.name.value] : undefined;
    const type = field && getNamedType(field.type);
    return isObjectType(type) && Object.values(type.getFields()).every(isPlain);
  });
}

/** Default property resolvers of NestJS take one parameter, the parent; other resolvers take more. */
const isPlain = ({ type, resolve }: GraphQLField<unknown, unknown>): boolean =>
  isLeafType(getNamedType(type)) && (resolve === undefined || resolve.length === 1);

const operationKey = ({ document, operationName, variableValues }: ExecutionArgs): string =>
  createHash('sha256')
    .update(JSON.stringify([print(document), operationName, variableValues]))
    .digest('base64');
