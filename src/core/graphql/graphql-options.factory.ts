import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import type { GqlOptionsFactory } from '@nestjs/graphql';
import type { Request } from 'express';
import { GraphQLFloat, type GraphQLSchema } from 'graphql';
import type { AuthenticatedCaller } from '../access/access.decorators.js';
import { Refusals } from '../authorization/refusals.js';
import { ResponseBudget } from '../responses/response-budget.service.js';
import { estimateJsonBytes, isLargeJson } from '../json/json-size.js';
import { serializeInPieces } from '../rest/serialized-json.js';
import { toGraphQLError } from './sockets/graphql-execution.js';
import { GRAPHQL_PATH } from './sockets/upgrade.js';
import { SCHEMA_DIRECTIVES } from './directives.js';
import { Metrics } from '../telemetry/metrics.service.js';
import { countingFormatError, reportingFormatError } from './format-error.js';
import { countAnsweredLists } from './limits/answered-lists.js';
import { findDocumentError, PARSE_OPTIONS } from './limits/document-limits.js';
import { QUERY_LIMITS, findVariablesError } from './limits/query-limits.js';
import { createQueryLimitsPlugin } from './limits/query-limits.plugin.js';

/** Configures Apollo, code first. GraphqlMiddleware authenticates the request and parses its body before. */
@Injectable()
export class GraphqlOptionsFactory implements GqlOptionsFactory<ApolloDriverConfig> {
  constructor(
    private readonly budget: ResponseBudget,
    private readonly refusals: Refusals,
    private readonly metrics: Metrics,
  ) {}

  createGqlOptions(): ApolloDriverConfig {
    return {
      driver: ApolloDriver,
      path: GRAPHQL_PATH,
      autoSchemaFile: true,
      sortSchema: true,
      // Apollo validates the schema as well; a second check by an introspection query would double the time.
      buildSchemaOptions: { directives: SCHEMA_DIRECTIVES, skipCheck: true },
      playground: false,
      graphiql: false,
      introspection: true,
      csrfPrevention: true,
      includeStacktraceInErrorResponses: false,
      stopOnTerminationSignals: false,
      cache: 'bounded',
      persistedQueries: false,
      parseOptions: PARSE_OPTIONS,
      transformSchema: (schema) => countAnsweredLists(showFloat(schema), QUERY_LIMITS.cost),
      stringifyResult: (result) => this.stringify(withData(result)),
      // No field has a cache hint, and the plugin would wrap every resolver to find one; GraphqlMiddleware
      // sets the header.
      plugins: [ApolloServerPluginCacheControlDisabled(), createQueryLimitsPlugin()],
      formatError: reportingFormatError(this.refusals, this.metrics),
      context: ({ req }: { req: Request & AuthenticatedCaller }) => this.buildContext(req),
    };
  }

  /** Serializes large responses in chunks, yielding to other requests, within the memory limit of all responses. */
  private async stringify(result: object): Promise<string> {
    if (!isLargeJson(result)) return JSON.stringify(result);
    try {
      await this.budget.reserveSerializedList(estimateJsonBytes(result, this.budget.maxSerializedBytes + 1));
      return Buffer.concat(await serializeInPieces(result)).toString();
    } catch (thrown) {
      const error = toGraphQLError(thrown);
      return JSON.stringify({ data: null, errors: [countingFormatError(this.metrics)(error.toJSON(), error)] });
    }
  }

  private buildContext(req: Request & AuthenticatedCaller): object {
    const { query, variables } = (req.body ?? {}) as { query?: unknown; variables?: unknown };
    const tooLong = findDocumentError(query) ?? findVariablesError(variables);
    if (tooLong) throw tooLong;
    return { req, actor: req.actor };
  }
}

/** Adds `data: null` when Apollo omits `data` because the operation did not run; clients expect the field. */
const withData = (result: { data?: unknown }): object =>
  result.data === undefined ? { ...result, data: null } : result;

/** Adds Float to the schema: the interface requires it, and introspection lists a built-in scalar only when a field uses it. */
function showFloat(schema: GraphQLSchema): GraphQLSchema {
  schema.getTypeMap()[GraphQLFloat.name] = GraphQLFloat;
  return schema;
}
