import { GraphQLError, type OperationDefinitionNode } from 'graphql';

export interface ExceededLimit {
  code: string;
  /** What is wrong, as the beginning of a sentence. */
  what: string;
  measure: string;
  limit: number;
  actual: number;
  remedy: string;
}

/** An error with `code`, `limit`, `actual` and `remedy` under its extensions, and the HTTP status 400, which Apollo takes out again. */
export function limitError(
  { code, what, measure, limit, actual, remedy }: ExceededLimit,
  nodes?: OperationDefinitionNode,
): GraphQLError {
  return new GraphQLError(`${what}: its ${measure} is ${actual}, the limit ${limit}.`, {
    nodes,
    extensions: { code, limit, actual, remedy, http: { status: 400 } },
  });
}
