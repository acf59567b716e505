import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import { ConnectionsService } from '../../connections/connections.service.js';
import type { Actor } from '../../core/access/actor.js';
import { Conflict, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import type { Design } from '../../designs/design.entity.js';
import type { Tier } from '../../environments/environment.entity.js';
import { EnvironmentsService } from '../../environments/environments.service.js';
import {
  type ReachableConnection,
  ReachableConnectionsStore,
} from '../../workspaces/environments/reachable-connections.store.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { type DeployedDesign, DeployedDesignsStore } from '../deployed-designs.store.js';
import type { DeploymentTarget } from '../deployment.inputs.js';
import { TargetsStore } from './targets.store.js';

/** The target of a deployment: one environment and some of its clusters. */
export interface Target {
  /** The workspace whose members may act there. */
  workspaceId: string;
  environmentId: string;
  tier: Tier;
  connectionIds: string[];
}

/** Resolves the target of a request. If an omitted field has several possible values, the request is refused and the error lists them. */
@Injectable()
export class TargetsService {
  constructor(
    private readonly store: TargetsStore,
    private readonly reachable: ReachableConnectionsStore,
    private readonly deployed: DeployedDesignsStore,
    private readonly environments: EnvironmentsService,
    private readonly connections: ConnectionsService,
    private readonly workspaces: WorkspacesService,
  ) {}

  /**
   * What is not named is the place where the design is deployed already, else the only one.
   * @throws NotFound for an environment or connection that the actor does not see, before anything else; InvalidRequest listing the
   * choices; Conflict WORKSPACE_ARCHIVED, ENVIRONMENT_ARCHIVED or IN_USE
   */
  async resolveForDeployment(actor: Actor, design: Design, wanted: DeploymentTarget): Promise<Target> {
    const all = await this.reachable.findByWorkspace(design.workspaceId);
    await this.assertVisible(actor, design, wanted, all);
    (await this.workspaces.get(actor, design.workspaceId)).assertActive();
    const inEnvironment = namesDestinations(wanted)
      ? all.filter(({ environmentId }) => !wanted.environment_id || environmentId === wanted.environment_id)
      : await this.preferDeployed(design, all);
    if (inEnvironment.length === 0)
      throw InvalidRequest.forField(
        '/environment_id',
        wanted.environment_id
          ? "must be an environment of the design's workspace that has a Kubernetes connection"
          : "is required: no environment of the design's workspace has a Kubernetes connection",
        'Assign an environment with a connection of the kind kubernetes to the workspace.',
      );
    const destinations = chooseConnections(inEnvironment, wanted.connection_ids);
    const target = requireSingle(
      destinations,
      namesDestinations(wanted),
      ({ environment, connection }) => `${environment}/${connection}`,
    );
    const [first] = target;
    if (first.status === 'archived')
      throw new Conflict('ENVIRONMENT_ARCHIVED', `environment ${first.environment} is archived`, {
        remedy: 'Restore it first.',
      });
    await this.requireOwn(design, first.environmentId);
    return {
      workspaceId: design.workspaceId,
      environmentId: first.environmentId,
      tier: first.tier,
      connectionIds: target.map(({ connectionId }) => connectionId),
    };
  }

  /** @throws NotFound for what the actor does not see, or what belongs to another organization than the design */
  private async assertVisible(
    actor: Actor,
    { organizationId }: Design,
    { environment_id: environmentId, connection_ids: connectionIds = [] }: DeploymentTarget,
    known: { environmentId: string; connectionId: string }[],
  ): Promise<void> {
    const isKnown = known.some((destination) => destination.environmentId === environmentId);
    if (
      environmentId &&
      !isKnown &&
      (await this.environments.get(actor, environmentId)).organizationId !== organizationId
    )
      throw new NotFound('environment', environmentId);
    for (const id of connectionIds) {
      if (!validate(id) || known.some(({ connectionId }) => connectionId === id)) continue;
      if ((await this.connections.get(actor, id)).organizationId !== organizationId)
        throw new NotFound('connection', id);
    }
  }

  /** The destinations where the design is deployed; all of them when it is deployed at none. */
  private async preferDeployed(design: Design, all: ReachableConnection[]): Promise<ReachableConnection[]> {
    const deployed = await this.findDeployed(design);
    const there = all.filter(({ environmentId, connectionId }) =>
      deployed.some((place) => place.environmentId === environmentId && place.connectionId === connectionId),
    );
    return there.length > 0 ? there : all;
  }

  /** The destinations where a design is deployed. */
  findDeployed(design: Design): Promise<DeployedDesign[]> {
    return this.deployed.findByUse({ designId: design.id });
  }

  /**
   * @param all the destinations where the design is deployed
   * @throws NotFound for an environment or connection that the actor does not see; Conflict NOT_DEPLOYED; InvalidRequest listing the
   * destinations when there are several
   */
  async resolveForUndeployment(
    actor: Actor,
    design: Design,
    all: DeployedDesign[],
    wanted: DeploymentTarget,
  ): Promise<Target> {
    await this.assertVisible(actor, design, wanted, all);
    const matching = all.filter(
      ({ environmentId, connectionId }) =>
        (!wanted.environment_id || environmentId === wanted.environment_id) &&
        (!wanted.connection_ids?.length || wanted.connection_ids.includes(connectionId)),
    );
    if (matching.length === 0)
      throw new Conflict(
        'NOT_DEPLOYED',
        `design ${design.name} is not deployed ${all.length > 0 ? 'there' : 'anywhere'}`,
        {
          extensions: { deployed: all.map(describeDeployed) },
          remedy:
            all.length > 0
              ? 'Name one of the destinations under deployed, or leave the target out where there is only one.'
              : 'Nothing has to be done: no cluster has resources of this design.',
        },
      );
    const target = requireSingle(
      matching,
      namesDestinations(wanted),
      ({ environmentId, connectionId }) => `${environmentId}/${connectionId}`,
    );
    const [{ workspaceId, environmentId }] = target;
    const { tier } = await this.store.findProtection(environmentId);
    return {
      workspaceId,
      environmentId,
      tier,
      connectionIds: target.map(({ connectionId }) => connectionId),
    };
  }

  /** Refuses to change what was deployed from another workspace, whose roles and policies are not checked here. */
  private async requireOwn({ id, workspaceId }: Design, environmentId: string): Promise<void> {
    const destinations = await this.deployed.findByUse({ designId: id, environmentId });
    const foreign = destinations.filter((destination) => destination.workspaceId !== workspaceId);
    if (foreign.length === 0) return;
    throw new Conflict('IN_USE', 'it is deployed there from another workspace', {
      extensions: { deployments: foreign.map((destination) => ({ design_id: id, ...describeDeployed(destination) })) },
      remedy: 'Undeploy it first: DELETE /api/pattern/deploy.',
    });
  }
}

/** The description of a destination in responses. */
export const describeDeployed = ({
  environmentId,
  connectionId,
  deploymentId,
}: Pick<DeployedDesign, 'environmentId' | 'connectionId' | 'deploymentId'>) => ({
  environment_id: environmentId,
  connection_id: connectionId,
  deployment_id: deploymentId,
});

/** @throws InvalidRequest naming connections that are not among the destinations */
function chooseConnections(destinations: ReachableConnection[], ids: string[] = []): ReachableConnection[] {
  if (ids.length === 0) return destinations;
  const foreign = ids.filter((id) => !destinations.some(({ connectionId }) => connectionId === id));
  if (foreign.length === 0) return destinations.filter(({ connectionId }) => ids.includes(connectionId));
  throw InvalidRequest.forField(
    '/connection_ids',
    `holds ${foreign.join(', ')}, which is not a Kubernetes connection there`,
    `Choose from ${destinations.map(({ connection, connectionId }) => `${connection} (${connectionId})`).join(', ')}.`,
  );
}

const namesDestinations = ({ environment_id, connection_ids = [] }: DeploymentTarget): boolean =>
  environment_id !== undefined || connection_ids.length > 0;

/** All destinations of the requested environment, else the only destination. */
function requireSingle<P extends { environmentId: string; connectionId: string }>(
  destinations: P[],
  several: boolean,
  name: (destination: P) => string,
): [P, ...P[]] {
  const environments = new Set(destinations.map(({ environmentId }) => environmentId));
  if (environments.size > 1 || (!several && destinations.length > 1)) {
    const choices = destinations.map((destination) => ({
      name: name(destination),
      environment_id: destination.environmentId,
      connection_id: destination.connectionId,
    }));
    const [field, reason, remedy] =
      environments.size > 1
        ? [
            'environment_id',
            'there are several environments',
            'Send environment_id, and connection_ids for some of its clusters only.',
          ]
        : [
            'connection_ids',
            'the environment has several clusters',
            'Send connection_ids to choose some of them, or environment_id for all of them.',
          ];
    throw new InvalidRequest(`${field} is required; there are ${choices.map((choice) => choice.name).join(', ')}`, {
      errors: [{ pointer: `/${field}`, detail: `is required, since ${reason}` }],
      extensions: { choices },
      remedy,
    });
  }
  return destinations as [P, ...P[]];
}
