import type { ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { Refusals } from '../authorization/refusals.js';
import { Env } from '../config/env.js';
import { RateLimitService } from '../rest/rate-limit.service.js';
import { Metrics } from '../telemetry/metrics.service.js';
import { reportingFormatError } from './format-error.js';
import { GraphqlDriver } from './graphql.driver.js';
import { GraphqlMiddleware } from './graphql.middleware.js';
import { GraphqlOptionsFactory } from './graphql-options.factory.js';
import {
  PLAYGROUND_OPTIONS,
  PlaygroundController,
  type PlaygroundOptions,
} from './playground/playground.controller.js';
import { SchemaController } from './schema.controller.js';
import { GraphqlSocketServer } from './sockets/graphql-socket-server.js';
import { SOCKET_DEFAULTS, SOCKET_OPTIONS, type SocketOptions } from './sockets/socket-options.js';

@Module({
  controllers: [PlaygroundController, SchemaController],
  imports: [GraphQLModule.forRootAsync<ApolloDriverConfig>({ driver: GraphqlDriver, useClass: GraphqlOptionsFactory })],
  providers: [
    GraphqlMiddleware,
    GraphqlSocketServer,
    {
      provide: PLAYGROUND_OPTIONS,
      inject: [Env],
      useFactory: (env: Env): PlaygroundOptions => ({ enabled: env.GRAPHQL_PLAYGROUND ?? !env.isProduction }),
    },
    {
      provide: SOCKET_OPTIONS,
      inject: [Env, RateLimitService, Refusals, Metrics],
      useFactory: (env: Env, limit: RateLimitService, refusals: Refusals, metrics: Metrics): SocketOptions => ({
        ...SOCKET_DEFAULTS,
        allowedOrigins: [...env.CORS_ORIGINS, new URL(env.baseUrl).origin],
        beforeHandshake: (network) => limit.consumeHandshake(network),
        beforeOperation: (actor) => limit.consumeOperation(actor),
        perUser: env.LIMIT_SOCKETS_PER_USER,
        formatError: reportingFormatError(refusals, metrics),
        onRefused: (error) => refusals.report(error, { operation: 'connection_init' }),
      }),
    },
  ],
})
export class GraphqlModule {}
