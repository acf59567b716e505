import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { EnvironmentsController } from './environments.controller.js';
import { EnvironmentsResolver } from './environments.resolver.js';
import { EnvironmentsService } from './environments.service.js';
import { EnvironmentsStore } from './environments.store.js';

@Module({
  imports: [OrganizationsModule],
  controllers: [EnvironmentsController],
  providers: [EnvironmentsService, EnvironmentsStore, EnvironmentsResolver],
  exports: [EnvironmentsService, EnvironmentsStore],
})
export class EnvironmentsModule {}
