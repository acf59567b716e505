import type { ApolloServerPlugin, BaseContext, GraphQLRequestListener } from '@apollo/server';
import { GraphQLError, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { limitErrors, findLimitError } from './query-limits.js';

/**
 * Rejects subscriptions, and operations over the limits, with status 400 before they run, and limits the errors of a
 * response. A validation rule could not do this, because it does not know the variables.
 */
export function createQueryLimitsPlugin(): ApolloServerPlugin {
  const listener: GraphQLRequestListener<BaseContext> = {
    didResolveOperation: ({ schema, document, operation, request }) => {
      const error =
        operation &&
        (findSubscriptionError(operation) ?? findLimitError(schema, document, operation, request.variables));
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

/** Rejects subscriptions over HTTP, whose fields Apollo would resolve once, without a message. */
const findSubscriptionError = (operation: OperationDefinitionNode): GraphQLError | undefined =>
  operation.operation === OperationTypeNode.SUBSCRIPTION
    ? new GraphQLError('Subscriptions are not available over HTTP.', {
        nodes: operation,
        extensions: {
          code: 'BAD_REQUEST',
          remedy: 'Open a WebSocket to this path and send the subscription there.',
          http: { status: 400 },
        },
      })
    : undefined;
