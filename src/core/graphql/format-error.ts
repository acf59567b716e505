import { Logger } from '@nestjs/common';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Refusals } from '../authorization/refusals.js';
import { DatabaseUnavailable } from '../errors/database-outage.js';
import { AppError, truncate } from '../errors/app-error.js';
import { toAppError, internalError, limitFaults } from '../errors/problem.js';
import { FaultLog } from '../telemetry/fault-log.js';
import type { Metrics } from '../telemetry/metrics.service.js';
import { currentRequest, noteFailure } from '../telemetry/request-context.js';

const faults = new FaultLog(new Logger('GraphQL'));
/** The maximum length of a message of graphql-js, which quotes rejected values. */
const MAX_MESSAGE_LENGTH = 1_000;
const START_OF_DOCUMENT = [{ line: 1, column: 1 }];
const REMEDY = 'Correct the document or its variables; the schema answers introspection, and the playground shows it.';

/** Like `formatError`, and counts errors by their code. */
export const countingFormatError =
  (metrics: Metrics): typeof formatError =>
  (formatted, thrown) => {
    const error = formatError(formatted, thrown);
    metrics.graphqlErrors.inc({ code: String(error.extensions?.code) });
    return error;
  };

/** Like `countingFormatError`, and reports refused calls to listeners. */
export const reportingFormatError =
  (refusals: Refusals, metrics: Metrics): typeof formatError =>
  (formatted, thrown) => {
    const cause = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;
    if (cause instanceof AppError) {
      const [field] = formatted.path ?? [];
      refusals.report(cause, field === undefined ? {} : { operation: String(field) });
    }
    return countingFormatError(metrics)(formatted, thrown);
  };

/**
 * Adds the `code`, `errors`, `remedy` and `request_id` of REST errors to a GraphQL error, under `extensions`. An error
 * of the whole operation, such as that of a missing token, is at its start, and its path is empty.
 */
export function formatError(given: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const formatted = { ...given, locations: given.locations ?? START_OF_DOCUMENT, path: given.path ?? [] };
  const cause = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;
  const request_id = currentRequest()?.requestId;
  // Errors of the document (syntax, validation, limits) already have a code of the library.
  if (cause instanceof GraphQLError && cause.extensions.code !== 'INTERNAL_SERVER_ERROR') {
    const { stacktrace: _, code: __, ...extensions } = formatted.extensions ?? {};
    const known = formatted.extensions?.code ?? cause.extensions.code;
    const code = typeof known === 'string' ? known : 'BAD_USER_INPUT';
    noteFailure({ code });
    return {
      ...formatted,
      message: truncate(formatted.message, MAX_MESSAGE_LENGTH),
      extensions: {
        code,
        errors: [],
        remedy: REMEDY,
        ...extensions,
        request_id,
      },
    };
  }
  const error = cause instanceof AppError ? cause : fromLibraryError(formatted, cause);
  if (error.status >= 500 && !(error instanceof DatabaseUnavailable)) faults.log(error, 'a field failed');
  noteFailure(error);
  const { message, errors, remedy, code, extensions } = error;
  return {
    message,
    locations: formatted.locations,
    path: formatted.path,
    extensions: { code, errors: limitFaults(errors), remedy, ...extensions, request_id },
  };
}

/** Maps coercion errors of variables and arguments, which are plain errors with a code of the library, to InvalidRequest. */
function fromLibraryError(formatted: GraphQLFormattedError, cause: unknown): AppError {
  const code = formatted.extensions?.code;
  if (typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR')
    return new AppError(400, code, 'Invalid request', truncate(formatted.message, MAX_MESSAGE_LENGTH), {
      remedy: REMEDY,
    });
  return cause instanceof Error ? toAppError(cause) : internalError(cause);
}
