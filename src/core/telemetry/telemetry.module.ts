import { Global, Module } from '@nestjs/common';
import { Env } from '../config/env.js';
import { LOGGER, createLogger } from './logger.js';
import { Metrics } from './metrics.service.js';

@Global()
@Module({
  providers: [Metrics, { provide: LOGGER, inject: [Env], useFactory: createLogger }],
  exports: [Metrics, LOGGER],
})
export class TelemetryModule {}
