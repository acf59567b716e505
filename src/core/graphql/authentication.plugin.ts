import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { Unauthenticated } from '../errors/app-error.js';
import type { Authenticated } from '../access/public.js';
import { formatError } from './format-error.js';

export interface GraphqlContext extends Authenticated {
  /** Why there is no actor. */
  refused?: Error;
}

/** A call without a sound token runs nothing, introspection included, and answers 200 with `data: null` and UNAUTHENTICATED. */
export const authenticationPlugin: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: () =>
    Promise.resolve({
      responseForOperation: ({ contextValue }) => {
        if (contextValue.actor) return Promise.resolve(null);
        const original = contextValue.refused ?? new Unauthenticated('a bearer token is required');
        const error = new GraphQLError(original.message, { originalError: original });
        const errors = [formatError(error.toJSON(), error)];
        return Promise.resolve({
          http: { status: 200, headers: new Map() } as never,
          body: { kind: 'single' as const, singleResult: { data: null, errors } },
        });
      },
    }),
};
