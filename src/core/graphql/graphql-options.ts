import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import type { GqlOptionsFactory } from '@nestjs/graphql';
import type { Request } from 'express';
import type { Authenticated } from '../access/public.js';
import { Env } from '../config/env.js';
import { AnswerBudget } from '../answers/answer-budget.js';
import { isLarge, weightOf, written } from '../rest/written-json.js';
import { asGraphQLError } from './sockets/operation.js';
import { GRAPHQL_PATH } from './sockets/upgrade.js';
import { formatError } from './format-error.js';
import { overlong, PARSE_OPTIONS } from './limits/limits.js';
import { limitsPlugin } from './limits/limits.plugin.js';

/** How Apollo is set up: the code is the schema; the caller is known and the body read when a call comes here. */
@Injectable()
export class GraphqlOptions implements GqlOptionsFactory<ApolloDriverConfig> {
  constructor(
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
      plugins: [limitsPlugin(queryLimits(this.env))],
      formatError,
      context: ({ req }: { req: Request & Authenticated }) => this.contextOf(req),
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

  private contextOf(req: Request & Authenticated): object {
    const tooLong = overlong((req.body as { query?: unknown } | undefined)?.query);
    if (tooLong) throw tooLong;
    return { req, actor: req.actor };
  }
}

export const queryLimits = (env: Env) => ({
  depth: env.LIMIT_GRAPHQL_DEPTH,
  cost: env.LIMIT_GRAPHQL_COST,
  aliases: env.LIMIT_GRAPHQL_ALIASES,
});
