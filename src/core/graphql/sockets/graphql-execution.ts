import { ApolloServerErrorCode } from '@apollo/server/errors';
import type { SubscribePayload } from 'graphql-ws';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  createSourceEventStream,
  execute,
  getOperationAST,
  getVariableValues,
  parse,
  validate,
} from 'graphql';
import { currentRequest } from '../../telemetry/request-context.js';
import {
  PARSE_OPTIONS,
  type QueryLimits,
  findLimitError,
  findLengthError,
  findVariablesError,
} from '../limits/query-limits.js';
import type { SocketOptions } from './socket-options.js';

/** As graphql-js has it where it coerces variables itself. */
const MAX_VARIABLE_ERRORS = 50;

/** What is to be executed, or every error for which it is not, with the codes that Apollo gives over HTTP. */
export function prepareExecution(
  schema: GraphQLSchema,
  { query, operationName, variables }: SubscribePayload,
  limits: QueryLimits,
): ExecutionArgs | GraphQLError[] {
  const tooLong = findLengthError(query) ?? findVariablesError(variables);
  if (tooLong) return [tooLong];
  const document = parseDocument(query);
  if (document instanceof GraphQLError) return [document];
  const invalid = validate(schema, document);
  if (invalid.length) return invalid.map(withCode(ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED));

  const operation = getOperationAST(document, operationName);
  if (!operation) {
    const message = operationName
      ? `Unknown operation named "${operationName}".`
      : 'Must provide operation name if query contains multiple operations.';
    return [withCode(ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE)(new GraphQLError(message))];
  }
  const tooLarge = findLimitError(schema, document, operation, variables, limits);
  if (tooLarge) return [tooLarge];

  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {}, {
    maxErrors: MAX_VARIABLE_ERRORS,
  });
  if (errors) return errors.map(withCode(ApolloServerErrorCode.BAD_USER_INPUT));
  return { schema, document, operationName, variableValues: variables };
}

function parseDocument(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query, PARSE_OPTIONS);
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

/** A thrown value as graphql-js would have wrapped it. */
export function toGraphQLError(thrown: unknown): GraphQLError {
  if (thrown instanceof GraphQLError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new GraphQLError(error.message, { originalError: error });
}

/** Formats an error as Apollo does over HTTP: with a code always, without what was meant for HTTP. */
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
 * Subscribes as graphql-js does, but resolves each message in a context of its own: what loaders have read for one
 * message is stale in the next, and the actor may have changed. Whoever asks for a message has sent the last one.
 */
export async function subscribeWithFreshContext(
  args: ExecutionArgs,
  context: () => object,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return source;
  const payloads = source[Symbol.asyncIterator]();
  // No generator function: its return() would wait for the next payload before it ended the source.
  const results: AsyncIterableIterator<ExecutionResult> = {
    next: async () => {
      currentRequest()?.response?.release();
      const payload = await payloads.next();
      if (payload.done) return { done: true, value: undefined };
      return { done: false, value: await execute({ ...args, rootValue: payload.value, contextValue: context() }) };
    },
    return: async () => {
      await payloads.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return results;
}
