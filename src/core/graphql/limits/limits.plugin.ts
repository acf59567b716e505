import type { ApolloServerPlugin, BaseContext, GraphQLRequestListener } from '@apollo/server';
import { DEFAULT_QUERY_LIMITS, overLimit, type QueryLimits } from './limits.js';

/** Refuses operations over the limits with status 400 before they run; a validation rule would not know the variables. */
export function limitsPlugin(limits: QueryLimits = DEFAULT_QUERY_LIMITS): ApolloServerPlugin {
  const listener: GraphQLRequestListener<BaseContext> = {
    didResolveOperation: ({ schema, document, operation, request }) => {
      const error = operation && overLimit(schema, document, operation, request.variables, limits);
      return error ? Promise.reject(error) : Promise.resolve();
    },
  };
  return { requestDidStart: () => Promise.resolve(listener) };
}
