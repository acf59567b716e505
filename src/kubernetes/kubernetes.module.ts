import { Module } from '@nestjs/common';
import { ConnectionDeleted } from '../connections/connection.events.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { ConnectionKinds } from '../connections/kinds/connection-kinds.js';
import { Env } from '../core/config/env.js';
import { EventBus } from '../core/events/event-bus.js';
import { WorkerPool } from '../formats/worker-pool.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { Clusters } from './clusters/clusters.service.js';
import { Kubeconfigs } from './clusters/kubeconfigs.js';
import { kubernetesKind } from './clusters/kubernetes-kind.js';
import { RegistrationController } from './registration/registration.controller.js';
import { RegistrationService } from './registration/registration.service.js';

/** A ping asks little of a cluster, and waits little for it. */
const PING = { answerTimeoutMs: 10_000, maxBytes: 4 * 1024 * 1024, attempts: 1, connections: 1 };

@Module({
  imports: [ConnectionsModule, OrganizationsModule],
  controllers: [RegistrationController],
  providers: [
    Clusters,
    RegistrationService,
    {
      provide: Kubeconfigs,
      inject: [WorkerPool, Env],
      useFactory: (pool: WorkerPool, env: Env) => new Kubeconfigs(pool, { insecureTls: env.CLUSTER_INSECURE_TLS }),
    },
  ],
  exports: [Clusters],
})
export class KubernetesModule {
  constructor(kinds: ConnectionKinds, kubeconfigs: Kubeconfigs, clusters: Clusters, events: EventBus) {
    kinds.register(kubernetesKind(kubeconfigs, (access) => clusters.trial(access, PING)));
    events.after(ConnectionDeleted, ({ connection }) => clusters.drop(connection.id));
  }
}
