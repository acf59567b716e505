import { GraphQLError, type OperationDefinitionNode } from 'graphql';

export interface ExceededLimit {
  code: string;
  /** The first part of the message. */
  what: string;
  measure: string;
  limit: number;
  actual: number;
  remedy: string;
}

/**
 * Creates an error with `code`, `limit`, `actual`, `remedy` and the HTTP status 400 in its extensions; Apollo
 * removes the status.
 */
export function limitError(
  { code, what, measure, limit, actual, remedy }: ExceededLimit,
  nodes?: OperationDefinitionNode,
): GraphQLError {
  return new GraphQLError(`${what}: its ${measure} is ${actual}, the limit ${limit}.`, {
    nodes,
    extensions: { code, limit, actual, remedy, http: { status: 400 } },
  });
}
