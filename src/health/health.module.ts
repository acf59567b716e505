import { Module } from '@nestjs/common';
import { CommandLineController } from './command-line.controller.js';
import { ErrorReferenceController } from './error-reference.controller.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { SystemController } from './system.controller.js';

@Module({
  controllers: [HealthController, SystemController, ErrorReferenceController, CommandLineController],
  providers: [HealthService],
})
export class HealthModule {}
