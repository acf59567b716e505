import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import type { GqlOptionsFactory } from '@nestjs/graphql';
import type { Request } from 'express';
import type { Authenticated } from '../access/public.js';
import { Env } from '../config/env.js';
import { GRAPHQL_PATH } from './sockets/upgrade.js';
import { formatError } from './format-error.js';
import { PARSE_OPTIONS } from './limits/limits.js';
import { limitsPlugin } from './limits/limits.plugin.js';

/** How Apollo is set up: the code is the schema; the caller is known and the body read when a call comes here. */
@Injectable()
export class GraphqlOptions implements GqlOptionsFactory<ApolloDriverConfig> {
  constructor(private readonly env: Env) {}

  createGqlOptions(): ApolloDriverConfig {
    return {
      driver: ApolloDriver,
      path: GRAPHQL_PATH,
      autoSchemaFile: true,
      sortSchema: true,
      playground: false,
      graphiql: false,
      introspection: true,
      csrfPrevention: true,
      includeStacktraceInErrorResponses: false,
      stopOnTerminationSignals: false,
      cache: 'bounded',
      parseOptions: PARSE_OPTIONS,
      plugins: [limitsPlugin(queryLimits(this.env))],
      formatError,
      context: ({ req }: { req: Request & Authenticated }) => ({ req, actor: req.actor }),
    };
  }
}

export const queryLimits = (env: Env) => ({
  depth: env.LIMIT_GRAPHQL_DEPTH,
  cost: env.LIMIT_GRAPHQL_COST,
  aliases: env.LIMIT_GRAPHQL_ALIASES,
});
