import type { ApolloServerPlugin, BaseContext, GraphQLRequestListener } from '@apollo/server';
import { GraphQLError, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { DEFAULT_QUERY_LIMITS, limitErrors, findLimitError, type QueryLimits } from './query-limits.js';

/**
 * Refuses subscriptions, and operations over the limits, with status 400 before they run, for a validation rule would not know the variables,
 * and bounds the errors of an answer.
 */
export function createQueryLimitsPlugin(limits: QueryLimits = DEFAULT_QUERY_LIMITS): ApolloServerPlugin {
  const listener: GraphQLRequestListener<BaseContext> = {
    didResolveOperation: ({ schema, document, operation, request }) => {
      const error =
        operation &&
        (findSubscriptionError(operation) ?? findLimitError(schema, document, operation, request.variables, limits));
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

/** Of a subscription, Apollo would resolve the fields once, without a message. */
const findSubscriptionError = (operation: OperationDefinitionNode): GraphQLError | undefined =>
  operation.operation === OperationTypeNode.SUBSCRIPTION
    ? new GraphQLError('A subscription is not answered over HTTP.', {
        nodes: operation,
        extensions: {
          code: 'BAD_REQUEST',
          remedy: 'Open a WebSocket to this path and send the subscription there.',
          http: { status: 400 },
        },
      })
    : undefined;
