import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { Env } from '../config/env.js';
import { formatError } from './format-error.js';
import { GraphqlOptions, queryLimits } from './graphql-options.js';
import { GraphqlSockets } from './sockets/graphql-sockets.js';
import { SOCKET_DEFAULTS, SOCKET_OPTIONS, type SocketOptions } from './sockets/socket-options.js';

@Module({
  imports: [GraphQLModule.forRootAsync<ApolloDriverConfig>({ driver: ApolloDriver, useClass: GraphqlOptions })],
  providers: [
    GraphqlSockets,
    {
      provide: SOCKET_OPTIONS,
      inject: [Env],
      useFactory: (env: Env): SocketOptions => ({
        ...SOCKET_DEFAULTS,
        allowedOrigins: env.CORS_ORIGINS,
        limits: queryLimits(env),
        perUser: env.LIMIT_SOCKETS_PER_USER,
        formatError,
      }),
    },
  ],
})
export class GraphqlModule {}
