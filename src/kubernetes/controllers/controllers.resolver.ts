import { Args, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { clusterPolicy } from '../cluster.policy.js';
import { Clusters, KubernetesMiddleware } from '../middleware/kubernetes-middleware.js';
import type { OpenCluster } from '../middleware/open-clusters.service.js';
import { type ClusterStatus, StatusEnum } from '../status.enum.js';
import { ControllerFeedService, type ControllerStatusMessage } from './controller-feed.service.js';
import type { ControllerState, PlatformController } from './controller-status.js';
import { ControllerStatusesService } from './controller-statuses.service.js';
import {
  AdapterStatusInput,
  ControllerStatusView,
  OperatorControllerStatusView,
  OperatorStatusInput,
} from './controller.view.js';
import { ControllersService } from './controllers.service.js';

const ConnectionId = (): ParameterDecorator =>
  Args('connectionID', { type: () => String, description: 'The id of the connection.' });

@Resolver()
export class ControllersResolver {
  constructor(
    private readonly controllers: ControllersService,
    private readonly statuses: ControllerStatusesService,
    private readonly feed: ControllerFeedService,
  ) {}

  @Query(() => ControllerStatusView, { description: 'The status of the operator on a cluster.' })
  @KubernetesMiddleware()
  getOperatorStatus(@Clusters() clusters: OpenCluster[], @ConnectionId() id: string): Promise<ControllerStatusView> {
    return this.read(clusters, 'OPERATOR', (state) => ControllerStatusView.fromState(id, state));
  }

  @Query(() => OperatorControllerStatusView, { description: 'The status of the resource sync on a cluster.' })
  @KubernetesMiddleware()
  getMeshsyncStatus(
    @Clusters() clusters: OpenCluster[],
    @ConnectionId() id: string,
  ): Promise<OperatorControllerStatusView> {
    return this.read(clusters, 'MESHSYNC', (state) => OperatorControllerStatusView.fromState(id, state));
  }

  @Query(() => OperatorControllerStatusView, { description: 'The status of the broker on a cluster.' })
  @KubernetesMiddleware()
  getNatsStatus(
    @Clusters() clusters: OpenCluster[],
    @ConnectionId() id: string,
  ): Promise<OperatorControllerStatusView> {
    return this.read(clusters, 'BROKER', (state) => OperatorControllerStatusView.fromState(id, state));
  }

  @Mutation(() => StatusEnum, {
    description:
      'Deploys or removes the operator, the broker and the resource sync. An event of the category controller reports the outcome.',
  })
  @KubernetesMiddleware(clusterPolicy.changeControllers)
  async changeOperatorStatus(
    @CurrentActor() actor: Actor,
    @Clusters() clusters: OpenCluster[],
    @Args('input', { description: 'The target.' }) { targetStatus }: OperatorStatusInput,
  ): Promise<ClusterStatus> {
    await this.controllers.changeOperator(actor, clusters, targetStatus);
    return 'PROCESSING';
  }

  @Mutation(() => StatusEnum, {
    description:
      'Deploys or removes an adapter of a service mesh. An event of the category controller reports the outcome.',
  })
  @KubernetesMiddleware(clusterPolicy.changeControllers)
  async changeAdapterStatus(
    @CurrentActor() actor: Actor,
    @Clusters() clusters: OpenCluster[],
    @Args('input', { description: 'The target.' }) { targetStatus, targetPort, adapter }: AdapterStatusInput,
  ): Promise<ClusterStatus> {
    await this.controllers.changeAdapter(actor, clusters, { adapter, port: targetPort, status: targetStatus });
    return 'PROCESSING';
  }

  /** All statuses first, then the changed ones. */
  @Subscription(() => [ControllerStatusView], {
    description:
      'The status of the operator, the broker and the resource sync: all of them first, then each that changes.',
    resolve: (messages: ControllerStatusMessage[]) => messages,
  })
  @KubernetesMiddleware()
  subscribePlatformControllersStatus(
    @CurrentActor() actor: Actor,
    @Clusters() clusters: OpenCluster[],
    @Args('connectionIDs', {
      type: () => [String],
      nullable: true,
      description: 'Ids of connections; all connected clusters that the caller sees without them.',
    })
    _connectionIds?: string[] | null,
  ): Promise<AsyncIterator<ControllerStatusMessage[]>> {
    return this.feed.follow(
      actor,
      clusters.map(({ connection }) => connection.id),
    );
  }

  private async read<T>(
    [cluster]: OpenCluster[],
    controller: PlatformController,
    toView: (state: ControllerState) => T,
  ): Promise<T> {
    if (!cluster) throw new Error('the field has no cluster');
    return toView(await this.statuses.get(cluster, controller));
  }
}
