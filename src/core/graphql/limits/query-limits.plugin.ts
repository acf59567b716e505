import type { ApolloServerPlugin, BaseContext, GraphQLRequestListener } from '@apollo/server';
import { DEFAULT_QUERY_LIMITS, limitErrors, findLimitError, type QueryLimits } from './query-limits.js';

/**
 * Refuses operations over the limits with status 400 before they run, for a validation rule would not know the variables,
 * and bounds the errors of an answer.
 */
export function createQueryLimitsPlugin(limits: QueryLimits = DEFAULT_QUERY_LIMITS): ApolloServerPlugin {
  const listener: GraphQLRequestListener<BaseContext> = {
    didResolveOperation: ({ schema, document, operation, request }) => {
      const error = operation && findLimitError(schema, document, operation, request.variables, limits);
      return error ? Promise.reject(error) : Promise.resolve();
    },
    willSendResponse: ({ response: { body } }) => {
      if (body.kind === 'single' && body.singleResult.errors)
        body.singleResult.errors = limitErrors(body.singleResult.errors);
      return Promise.resolve();
    },
  };
  return { requestDidStart: () => Promise.resolve(listener) };
}
