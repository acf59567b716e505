import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { ConnectionsModule } from './connections/connections.module.js';
import { ConsoleModule } from './console/console.module.js';
import { AuthorizationModule } from './core/authorization/authorization.module.js';
import { ResponsesModule } from './core/responses/responses.module.js';
import { ConfigModule } from './core/config/config.module.js';
import type { Env } from './core/config/env.js';
import { CryptoModule } from './core/crypto/crypto.module.js';
import { DatabaseModule } from './core/database/database.module.js';
import { EventBusModule } from './core/events/event-bus.module.js';
import { GraphqlModule } from './core/graphql/graphql.module.js';
import { LeasesModule } from './core/leases/leases.module.js';
import { LifecycleModule } from './core/lifecycle/lifecycle.module.js';
import { MailModule } from './core/mail/mail.module.js';
import { OutboundModule } from './core/outbound/outbound.module.js';
import { PubSubModule } from './core/pubsub/pubsub.module.js';
import { RestModule } from './core/rest/rest.module.js';
import { TelemetryModule } from './core/telemetry/telemetry.module.js';
import { DeploymentsModule } from './deployments/deployments.module.js';
import { DesignsModule } from './designs/designs.module.js';
import { EnvironmentsModule } from './environments/environments.module.js';
import { EventsModule } from './events/events.module.js';
import { FiltersModule } from './filters/filters.module.js';
import { LargeBodyModule } from './formats/large-body.module.js';
import { HealthModule } from './health/health.module.js';
import { KubernetesModule } from './kubernetes/kubernetes.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { entities } from './migrations/entities.js';
import { migrations } from './migrations/migrations.js';
import { MonitoringModule } from './monitoring/monitoring.module.js';
import { OrganizationsModule } from './organizations/organizations.module.js';
import { PerformanceModule } from './performance/performance.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { RegistryModule } from './registry/registry.module.js';
import { UsersModule } from './organizations/users/users.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';

/** The root module. Its imports are in the order in which folders may import one another. */
@Module({})
export class AppModule {
  static forRoot(env: Env, databaseUrl: string): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(env),
        TelemetryModule,
        LifecycleModule,
        ResponsesModule,
        DatabaseModule.forRoot(databaseUrl, entities, migrations),
        LeasesModule,
        AuthorizationModule,
        CryptoModule,
        EventBusModule,
        PubSubModule,
        LargeBodyModule,
        RestModule,
        JobsModule,
        OutboundModule,
        MailModule,
        OrganizationsModule,
        AuthModule,
        ConnectionsModule,
        KubernetesModule,
        RegistryModule,
        EnvironmentsModule,
        WorkspacesModule,
        DesignsModule,
        FiltersModule,
        DeploymentsModule,
        MonitoringModule,
        PerformanceModule,
        EventsModule,
        OverviewModule,
        HealthModule,
        ConsoleModule,
        McpModule,
        GraphqlModule,
        UsersModule,
      ],
    };
  }
}
