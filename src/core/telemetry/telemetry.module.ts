import { Global, Module } from '@nestjs/common';
import { Env } from '../config/env.js';
import { LOGGER, getLogger } from './logger.js';
import { Metrics } from './metrics.service.js';

@Global()
@Module({
  providers: [Metrics, { provide: LOGGER, inject: [Env], useFactory: getLogger }],
  exports: [Metrics, LOGGER],
})
export class TelemetryModule {}
