import { Args, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { Clusters, KubernetesMiddleware } from '../middleware/kubernetes-middleware.js';
import type { OpenCluster } from '../middleware/open-clusters.service.js';
import { type ClusterStatus, StatusEnum } from '../status.enum.js';
import { ClusterResources, KctlDescribeDetails, NameSpace, ReSyncActions } from './cluster-resource.graphql.js';
import { ClusterCountsService } from './cluster-counts.service.js';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { DescriptionsService } from './describe/descriptions.service.js';
import { OptionalInputPipe } from '../../core/rest/optional-input.pipe.js';
import { resourcePolicy } from './resource.policy.js';
import { ResyncsService } from './watch/resyncs.service.js';

const ConnectionIds = (name: string): ParameterDecorator =>
  Args(name, {
    type: () => [String],
    nullable: true,
    description: 'Ids of connections; all connected clusters that the caller sees without them.',
  });
const ReSyncSelector = (): ParameterDecorator =>
  Args(
    'selector',
    {
      type: () => ReSyncActions,
      nullable: true,
      description: 'The options; without them, everything is listed again.',
    },
    new OptionalInputPipe(ReSyncActions),
  );
const ConnectionId = (): ParameterDecorator => Args('k8scontextID', { description: 'The id of the connection.' });

@Resolver()
export class ClusterResourcesResolver {
  constructor(
    private readonly counts: ClusterCountsService,
    private readonly descriptions: DescriptionsService,
    private readonly resyncs: ResyncsService,
  ) {}

  @Query(() => [NameSpace], { description: 'The namespaces of clusters, each once.' })
  @KubernetesMiddleware(resourcePolicy.read)
  getAvailableNamespaces(
    @Clusters() clusters: OpenCluster[],
    @ConnectionIds('k8sClusterIDs') _ids?: string[] | null,
  ): Promise<NameSpace[]> {
    return this.counts.listNamespaces(clusters);
  }

  @AuditedCall()
  @Query(() => KctlDescribeDetails, { description: 'An object of a cluster as kubectl describe shows it.' })
  @KubernetesMiddleware(resourcePolicy.read)
  async getKubectlDescribe(
    @Clusters() clusters: OpenCluster[],
    @Args('name', { description: 'The name.' }) name: string,
    @Args('kind', { description: 'The kind, such as Pod, or its plural.' }) kind: string,
    @Args('namespace', { description: 'The namespace; ignored for kinds that are not namespaced.' }) namespace: string,
    @Args('connectionID', {
      type: () => String,
      nullable: true,
      description: 'The id of the connection; needed with several clusters.',
    })
    _id?: string | null,
  ): Promise<KctlDescribeDetails> {
    return this.descriptions.describeOn(clusters, kind, name, namespace);
  }

  @AuditedCall()
  @Mutation(() => StatusEnum, {
    description: 'Synchronizes the resources of a cluster again; returns PROCESSING at once.',
  })
  @KubernetesMiddleware(resourcePolicy.resync)
  resyncCluster(
    @Clusters() clusters: OpenCluster[],
    @ConnectionId() _id: string,
    @ReSyncSelector() selector?: ReSyncActions | null,
  ): Promise<ClusterStatus> {
    return this.resyncs.request(clusters, selector);
  }

  @AuditedCall()
  @Query(() => StatusEnum, {
    name: 'resyncCluster',
    description: 'The mutation of the same name, for clients that know it as a query.',
    deprecationReason: 'Use the mutation resyncCluster.',
  })
  @KubernetesMiddleware(resourcePolicy.resync)
  resyncClusterByQuery(
    @Clusters() clusters: OpenCluster[],
    @ConnectionId() _id: string,
    @ReSyncSelector() selector?: ReSyncActions | null,
  ): Promise<ClusterStatus> {
    return this.resyncs.request(clusters, selector);
  }

  /** The counts, then new counts after each change. */
  @Subscription(() => ClusterResources, {
    description: 'The numbers of objects on clusters by kind, now and after each change.',
    resolve: (message: ClusterResources) => message,
  })
  @KubernetesMiddleware(resourcePolicy.read)
  subscribeClusterResources(
    @CurrentActor() actor: Actor,
    @Clusters() clusters: OpenCluster[],
    @Args('namespace', { description: 'The namespace; all when it is empty.' }) namespace: string,
    @ConnectionIds('k8scontextIDs') _ids?: string[] | null,
  ): Promise<AsyncIterator<ClusterResources>> {
    return this.counts.follow(actor, clusters, namespace);
  }
}
