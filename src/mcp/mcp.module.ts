import { Module } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { DesignsModule } from '../designs/designs.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { AuditModule } from '../events/audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';
import { ReadingTools } from './reading-tools.service.js';

/** Tools for agents, over the services of the REST API. */
@Module({
  imports: [
    OrganizationsModule,
    EnvironmentsModule,
    WorkspacesModule,
    DesignsModule,
    DeploymentsModule,
    EventsModule,
    AuditModule,
  ],
  controllers: [McpController],
  providers: [McpService, ReadingTools],
})
export class McpModule {}
