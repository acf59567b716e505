import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import type { GqlOptionsFactory } from '@nestjs/graphql';
import type { Request, Response } from 'express';
import { Authenticator } from '../access/authenticator.js';
import { Env } from '../config/env.js';
import { isOutage } from '../database/outage.js';
import { AppError } from '../errors/app-error.js';
import { asAppError } from '../errors/problem.js';
import { CallLimit } from '../rest/call-limit.js';
import { currentRequest } from '../telemetry/request-context.js';
import { GRAPHQL_PATH } from './sockets/upgrade.js';
import { authenticationPlugin, type GraphqlContext } from './authentication.plugin.js';
import { formatError } from './format-error.js';
import { PARSE_OPTIONS } from './limits/limits.js';
import { limitsPlugin } from './limits/limits.plugin.js';

/** How Apollo is set up: the code is the schema, the guard's authenticator is asked once for each call. */
@Injectable()
export class GraphqlOptions implements GqlOptionsFactory<ApolloDriverConfig> {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limit: CallLimit,
    private readonly env: Env,
  ) {}

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
      plugins: [limitsPlugin(queryLimits(this.env)), authenticationPlugin],
      formatError,
      context: ({ req, res }: { req: Request; res: Response }) => this.contextOf(req, res),
    };
  }

  private async contextOf(
    request: Request & GraphqlContext,
    response: Response,
  ): Promise<GraphqlContext & { req: Request }> {
    const context: GraphqlContext & { req: Request } = { req: request };
    try {
      context.actor = request.actor = await this.authenticator.authenticate(request.headers.authorization);
      const current = currentRequest();
      if (current) current.actor = context.actor;
    } catch (error) {
      if (!(error instanceof AppError) && !isOutage(error)) throw error;
      context.refused = asAppError(error);
    }
    await this.limit.count(request, response);
    return context;
  }
}

export const queryLimits = (env: Env) => ({
  depth: env.LIMIT_GRAPHQL_DEPTH,
  cost: env.LIMIT_GRAPHQL_COST,
  aliases: env.LIMIT_GRAPHQL_ALIASES,
});
