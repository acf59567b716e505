import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import type { GqlOptionsFactory } from '@nestjs/graphql';
import type { Request, Response } from 'express';
import { Authenticator } from '../access/authenticator.js';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { AnswerBudget } from '../answers/answer-budget.js';
import { CallLimit } from '../rest/call-limit.js';
import { isLarge, weightOf, written } from '../rest/written-json.js';
import { currentRequest } from '../telemetry/request-context.js';
import { asGraphQLError } from './sockets/operation.js';
import { GRAPHQL_PATH } from './sockets/upgrade.js';
import { authenticationPlugin, type GraphqlContext } from './authentication.plugin.js';
import { formatError } from './format-error.js';
import { overlong, PARSE_OPTIONS } from './limits/limits.js';
import { limitsPlugin } from './limits/limits.plugin.js';

/** How Apollo is set up: the code is the schema, the guard's authenticator is asked once for each call. */
@Injectable()
export class GraphqlOptions implements GqlOptionsFactory<ApolloDriverConfig> {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limit: CallLimit,
    private readonly budget: AnswerBudget,
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
      stringifyResult: (result) => this.write(result),
      plugins: [limitsPlugin(queryLimits(this.env)), authenticationPlugin],
      formatError,
      context: ({ req, res }: { req: Request; res: Response }) => this.contextOf(req, res),
    };
  }

  /** Large answers are written piece by piece, so that others are served in between, and within the memory that all answers share. */
  private async write(result: object): Promise<string> {
    if (!isLarge(result)) return JSON.stringify(result);
    try {
      await this.budget.writtenOf(weightOf(result, this.budget.mostWritten + 1));
      return Buffer.concat(await written(result)).toString();
    } catch (thrown) {
      const error = asGraphQLError(thrown);
      return JSON.stringify({ data: null, errors: [formatError(error.toJSON(), error)] });
    }
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
      if (!(error instanceof AppError)) throw error;
      context.refused = error;
    }
    await this.limit.count(request, response);
    const tooLong = overlong((request.body as { query?: unknown } | undefined)?.query);
    if (tooLong) throw tooLong;
    return context;
  }
}

export const queryLimits = (env: Env) => ({
  depth: env.LIMIT_GRAPHQL_DEPTH,
  cost: env.LIMIT_GRAPHQL_COST,
  aliases: env.LIMIT_GRAPHQL_ALIASES,
});
