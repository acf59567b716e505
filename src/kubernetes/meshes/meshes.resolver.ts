import { Args, Query, Resolver } from '@nestjs/graphql';
import { Clusters, KubernetesMiddleware } from '../middleware/kubernetes-middleware.js';
import type { OpenCluster } from '../middleware/open-clusters.service.js';
import { AddOnView, ControlPlaneView, DataPlaneView, ServiceMeshFilter, TelemetryComponentView } from './mesh.view.js';
import { MeshesService } from './meshes.service.js';

const MeshFilter = (): ParameterDecorator =>
  Args('filter', { type: () => ServiceMeshFilter, nullable: true, description: 'Filters by mesh type and cluster.' });

@Resolver()
export class MeshesResolver {
  constructor(private readonly meshes: MeshesService) {}

  @Query(() => [ControlPlaneView], { description: 'The control planes of service meshes on the clusters.' })
  @KubernetesMiddleware()
  getControlPlanes(
    @Clusters() clusters: OpenCluster[],
    @MeshFilter() filter?: ServiceMeshFilter | null,
  ): Promise<ControlPlaneView[]> {
    return this.meshes.listControlPlanes(clusters, filter?.type);
  }

  @Query(() => [DataPlaneView], { description: 'The proxies of service meshes on the clusters.' })
  @KubernetesMiddleware()
  getDataPlanes(
    @Clusters() clusters: OpenCluster[],
    @MeshFilter() filter?: ServiceMeshFilter | null,
  ): Promise<DataPlaneView[]> {
    return this.meshes.listDataPlanes(clusters, filter?.type);
  }

  @Query(() => [AddOnView], { description: 'The add-ons of service meshes on the clusters.' })
  @KubernetesMiddleware()
  getAvailableAddons(
    @Clusters() clusters: OpenCluster[],
    @MeshFilter() filter?: ServiceMeshFilter | null,
  ): Promise<AddOnView[]> {
    return this.meshes.listAddOns(clusters, filter?.type);
  }

  @Query(() => [TelemetryComponentView], {
    nullable: 'items',
    description: 'The Services for metrics, traces and logs on the clusters.',
  })
  @KubernetesMiddleware()
  fetchTelemetryComponents(
    @Clusters() clusters: OpenCluster[],
    @Args('contexts', {
      type: () => [String],
      nullable: true,
      description: 'Ids of connections; all connected clusters that the caller sees without them.',
    })
    _contexts?: string[] | null,
  ): Promise<TelemetryComponentView[]> {
    return this.meshes.listTelemetry(clusters);
  }
}
