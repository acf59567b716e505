import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import { ConnectionsService } from '../../connections/connections.service.js';
import type { Actor } from '../../core/access/actor.js';
import { Conflict, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import type { Design } from '../../designs/design.entity.js';
import type { Tier } from '../../environments/environment.entity.js';
import { EnvironmentsService } from '../../environments/environments.service.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { type DeployedDesign, DeployedDesignsStore } from '../deployed-designs.store.js';
import type { DeploymentTarget } from '../deployment.inputs.js';
import { type ReachableConnection, TargetsStore } from './targets.store.js';

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
    private readonly deployed: DeployedDesignsStore,
    private readonly environments: EnvironmentsService,
    private readonly connections: ConnectionsService,
    private readonly workspaces: WorkspacesService,
  ) {}

  /** @throws InvalidRequest listing the choices, NotFound, Conflict WORKSPACE_ARCHIVED, ENVIRONMENT_ARCHIVED or IN_USE */
  async resolveForDeployment(actor: Actor, design: Design, wanted: DeploymentTarget): Promise<Target> {
    (await this.workspaces.get(actor, design.workspaceId)).assertActive();
    await this.assertEnvironmentVisible(actor, design, wanted.environment_id);
    const all = await this.store.findByWorkspace(design.workspaceId);
    const inEnvironment = all.filter(
      ({ environmentId }) => !wanted.environment_id || environmentId === wanted.environment_id,
    );
    if (inEnvironment.length === 0)
      throw InvalidRequest.forField(
        '/environment_id',
        wanted.environment_id
          ? "must be an environment of the design's workspace that has a Kubernetes connection"
          : "is required: no environment of the design's workspace has a Kubernetes connection",
        'Assign an environment with a connection of the kind kubernetes to the workspace.',
      );
    const destinations = await this.chooseConnections(actor, design, inEnvironment, wanted.connection_ids);
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

  /** An environment of another organization does not exist for this design. @throws NotFound */
  private async assertEnvironmentVisible(
    actor: Actor,
    { organizationId }: Design,
    id: string | undefined,
  ): Promise<void> {
    if (id && (await this.environments.get(actor, id)).organizationId !== organizationId)
      throw new NotFound('environment', id);
  }

  /** @throws NotFound for a connection of another organization or one that the actor does not see; InvalidRequest */
  private async chooseConnections(
    actor: Actor,
    { organizationId }: Design,
    destinations: ReachableConnection[],
    ids: string[] | undefined,
  ): Promise<ReachableConnection[]> {
    if (!ids?.length) return destinations;
    const foreign = ids.filter((id) => !destinations.some(({ connectionId }) => connectionId === id));
    const [first] = foreign;
    if (first === undefined) return destinations.filter(({ connectionId }) => ids.includes(connectionId));
    if (validate(first) && (await this.connections.get(actor, first)).organizationId !== organizationId)
      throw new NotFound('connection', first);
    throw InvalidRequest.forField(
      '/connection_ids',
      `holds ${foreign.join(', ')}, which is not a Kubernetes connection there`,
      `Choose from ${destinations.map(({ connection, connectionId }) => `${connection} (${connectionId})`).join(', ')}.`,
    );
  }

  /** The destinations where a design is deployed. */
  findDeployed(design: Design): Promise<DeployedDesign[]> {
    return this.deployed.findByUse({ designId: design.id });
  }

  /**
   * @param all the destinations where the design is deployed
   * @throws Conflict NOT_DEPLOYED; InvalidRequest listing the destinations when there are several
   */
  async resolveForUndeployment(design: Design, all: DeployedDesign[], wanted: DeploymentTarget): Promise<Target> {
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
