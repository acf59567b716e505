import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Env } from '../core/config/env.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ClustersListeners } from './clusters/clusters.listeners.js';
import { ClustersService } from './clusters/clusters.service.js';
import { KubeconfigLoader } from './clusters/kubeconfig.loader.js';
import { ControllerCompletionService } from './controllers/controller-completion.service.js';
import { ControllerFeedService } from './controllers/controller-feed.service.js';
import { ControllerInstallationsStore } from './controllers/controller-installations.store.js';
import { ControllerRunner } from './controllers/controller.runner.js';
import { ControllerStatusesService } from './controllers/controller-statuses.service.js';
import { ControllersListeners } from './controllers/controllers.listeners.js';
import { ControllersResolver } from './controllers/controllers.resolver.js';
import { ControllersService } from './controllers/controllers.service.js';
import { ControllerManifestsService } from './controllers/manifests/controller-manifests.service.js';
import { MeshesResolver } from './meshes/meshes.resolver.js';
import { MeshesService } from './meshes/meshes.service.js';
import { OpenClustersService } from './middleware/open-clusters.service.js';
import { AccessManifestsService } from './rights/access-manifests.service.js';
import { ConnectionRightsController } from './rights/connection-rights.controller.js';
import { DesignKindsRegistry } from './rights/design-kinds.registry.js';
import { RightsService } from './rights/rights.service.js';
import { KubeconfigRegistrationController } from './registration/kubeconfig-registration.controller.js';
import { KubeconfigRegistrationService } from './registration/kubeconfig-registration.service.js';
import { ClusterCountsService } from './resources/cluster-counts.service.js';
import { ClusterResourcesResolver } from './resources/cluster-resources.resolver.js';
import { ClusterResourcesService } from './resources/cluster-resources.service.js';
import { ClusterResourcesStore } from './resources/cluster-resources.store.js';
import { DescriptionsService } from './resources/describe/descriptions.service.js';
import { ObjectRedactors } from './resources/describe/object-redactors.js';
import { ResourceChanges } from './resources/resource-changes.js';
import { ClusterWatchesListeners } from './resources/watch/cluster-watches.listeners.js';
import { ClusterWatchesService } from './resources/watch/cluster-watches.service.js';
import { ClusterWatchesStore } from './resources/watch/cluster-watches.store.js';
import { ResyncsService } from './resources/watch/resyncs.service.js';
import { WatchedNamespaces } from './resources/watch/watched-namespaces.js';
import { WatchedResourcesStore } from './resources/watch/watched-resources.store.js';

@Module({
  imports: [ConnectionsModule, OrganizationsModule],
  controllers: [KubeconfigRegistrationController, ConnectionRightsController],
  providers: [
    ClustersService,
    ClustersListeners,
    KubeconfigRegistrationService,
    ClusterResourcesService,
    ClusterResourcesStore,
    ResourceChanges,
    ClusterWatchesService,
    ClusterWatchesListeners,
    ClusterWatchesStore,
    WatchedResourcesStore,
    WatchedNamespaces,
    ClusterResourcesResolver,
    ClusterCountsService,
    DescriptionsService,
    ObjectRedactors,
    ResyncsService,
    OpenClustersService,
    MeshesResolver,
    MeshesService,
    RightsService,
    AccessManifestsService,
    DesignKindsRegistry,
    ControllerCompletionService,
    ControllerFeedService,
    ControllerInstallationsStore,
    ControllerManifestsService,
    ControllerRunner,
    ControllerStatusesService,
    ControllersListeners,
    ControllersResolver,
    ControllersService,
    {
      provide: KubeconfigLoader,
      inject: [WorkerPool, Env],
      useFactory: (pool: WorkerPool, env: Env) => new KubeconfigLoader(pool, { insecureTls: env.CLUSTER_INSECURE_TLS }),
    },
  ],
  exports: [
    ClustersService,
    OpenClustersService,
    ClusterResourcesService,
    DesignKindsRegistry,
    ResourceChanges,
    ObjectRedactors,
    WatchedNamespaces,
  ],
})
export class KubernetesModule {}
