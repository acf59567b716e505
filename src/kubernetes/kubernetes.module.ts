import { Module } from '@nestjs/common';
import { ConnectionDeleted } from '../connections/connection.events.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { ConnectionKindRegistry } from '../connections/kinds/connection-kind.registry.js';
import { Env } from '../core/config/env.js';
import { EventBus } from '../core/events/event-bus.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ClustersService } from './clusters/clusters.service.js';
import { KubeconfigLoader } from './clusters/kubeconfig.loader.js';
import { kubernetesConnectionKind } from './clusters/kubernetes-connection-kind.js';
import { KubeconfigRegistrationController } from './registration/kubeconfig-registration.controller.js';
import { KubeconfigRegistrationService } from './registration/kubeconfig-registration.service.js';

/** A ping asks little of a cluster, and waits little for it. */
const PING = { answerTimeoutMs: 10_000, maxBytes: 4 * 1024 * 1024, attempts: 1, connections: 1 };

@Module({
  imports: [ConnectionsModule, OrganizationsModule],
  controllers: [KubeconfigRegistrationController],
  providers: [
    ClustersService,
    KubeconfigRegistrationService,
    {
      provide: KubeconfigLoader,
      inject: [WorkerPool, Env],
      useFactory: (pool: WorkerPool, env: Env) => new KubeconfigLoader(pool, { insecureTls: env.CLUSTER_INSECURE_TLS }),
    },
  ],
  exports: [ClustersService],
})
export class KubernetesModule {
  constructor(
    kinds: ConnectionKindRegistry,
    kubeconfigs: KubeconfigLoader,
    clusters: ClustersService,
    events: EventBus,
  ) {
    kinds.register(kubernetesConnectionKind(kubeconfigs, (access) => clusters.createTemporaryClient(access, PING)));
    events.after(ConnectionDeleted, ({ connection }) => clusters.evict(connection.id));
  }
}
