import { Module } from '@nestjs/common';
import { ErrorReferenceController } from './error-reference.controller.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { SystemController } from './system.controller.js';

@Module({ controllers: [HealthController, SystemController, ErrorReferenceController], providers: [HealthService] })
export class HealthModule {}
