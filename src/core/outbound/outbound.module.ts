import { Global, Module } from '@nestjs/common';
import { Env } from '../config/env.js';
import { Outbound } from './outbound.service.js';

@Global()
@Module({
  providers: [
    {
      provide: Outbound,
      inject: [Env],
      useFactory: (env: Env) =>
        new Outbound({
          allow: env.OUTBOUND_ALLOW,
          connections: env.OUTBOUND_CONNECTIONS,
          production: env.isProduction,
        }),
    },
  ],
  exports: [Outbound],
})
export class OutboundModule {}
