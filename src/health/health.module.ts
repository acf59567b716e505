import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { SystemController } from './system.controller.js';

@Module({ controllers: [HealthController, SystemController], providers: [HealthService] })
export class HealthModule {}
