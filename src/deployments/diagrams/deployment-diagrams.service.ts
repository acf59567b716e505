import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { NotFound } from '../../core/errors/app-error.js';
import { DesignContentsStore } from '../../designs/contents/design-contents.store.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignsStore } from '../../designs/designs.store.js';
import { DesignDiagramsService } from '../../designs/diagram/design-diagrams.service.js';
import { DiagramAnswer } from '../../designs/diagram/diagram-answer.js';
import type { DiagramOptions } from '../../designs/diagram/render-diagram.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentsService } from '../deployments.service.js';
import type { DiagramColour } from './deployment-diagram.inputs.js';
import { type ResourceState, toDiagramMarks } from './deployment-marks.js';
import { ResourceStatesStore } from './resource-states.store.js';

const SYSTEM = Actor.system('deployment');

/** Renders deployments: the deployed version of the design, coloured by the state of its resources on the clusters. */
@Injectable()
export class DeploymentDiagramsService {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly designs: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly diagrams: DesignDiagramsService,
    private readonly states: ResourceStatesStore,
  ) {}

  /** @throws NotFound when the deployment is not visible to the actor, or its design has been deleted */
  async diagram(
    actor: Actor,
    id: string,
    { colour, ...options }: DiagramOptions & { colour: DiagramColour },
  ): Promise<DiagramAnswer> {
    const deployment = await this.deployments.get(actor, id);
    const design = await this.designs.find(SYSTEM, deployment.designId);
    if (!design) throw new NotFound('design', deployment.designId);
    const states = await this.readStates(deployment, colour);
    const digest = createHash('sha256').update(JSON.stringify(states)).digest('base64url');
    const answered = { revision: `${deployment.revision}.${digest}`, versionNumber: deployment.designVersion };
    return new DiagramAnswer(answered, () => this.draw(design, deployment, states, options));
  }

  private async draw(
    { id, organizationId }: Design,
    { designVersion: versionNumber, name, status }: Deployment,
    states: ResourceState[],
    options: DiagramOptions,
  ): Promise<string> {
    const version = { id, organizationId, versionNumber, name: `${name}: ${status.replaceAll('_', ' ')}` };
    const marks = toDiagramMarks(await this.contents.readResources(version), states);
    return this.diagrams.draw(version, { ...options, marks });
  }

  /** The results of the deployment with the current health, or the planned actions before it has started. */
  private async readStates(deployment: Deployment, colour: DiagramColour): Promise<ResourceState[]> {
    const { resources, resourceHealth } = deployment;
    if (resources.length === 0) return this.states.findPlanned(deployment);
    return resources.map(({ api_version, kind, namespace, name, action, error }, index): ResourceState => {
      const health = colour === 'health' && !error ? resourceHealth?.[index] : null;
      return {
        ...{ api_version, kind, namespace, name, action },
        ...(error && { failure: `${error.reason}: ${error.detail}` }),
        ...(health && { health: health.status, message: health.message }),
      };
    });
  }
}
