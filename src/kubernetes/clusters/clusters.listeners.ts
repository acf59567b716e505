import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionDeleted } from '../../connections/connection.events.js';
import { ConnectionKindRegistry } from '../../connections/kinds/connection-kind.registry.js';
import { EventBus } from '../../core/events/event-bus.js';
import { ClustersService } from './clusters.service.js';
import { KubeconfigLoader } from './kubeconfig.loader.js';
import { kubernetesConnectionKind } from './kubernetes-connection-kind.js';

/** The limits of a ping. */
const PING = { answerTimeoutMs: 10_000, maxBytes: 4 * 1024 * 1024, attempts: 1, connections: 1 };

/** Registers the connection kind of clusters, and closes the clients of deleted connections. */
@Injectable()
export class ClustersListeners implements OnModuleInit {
  constructor(
    private readonly kinds: ConnectionKindRegistry,
    private readonly kubeconfigs: KubeconfigLoader,
    private readonly clusters: ClustersService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    const { kubeconfigs, clusters } = this;
    this.kinds.register(
      kubernetesConnectionKind(kubeconfigs, (access) => clusters.createTemporaryClient(access, PING)),
    );
    this.events.after(ConnectionDeleted, ({ connection }) => clusters.evict(connection.id));
  }
}
