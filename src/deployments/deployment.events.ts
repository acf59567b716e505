import type { Actor } from '../core/access/actor.js';
import { DomainEvent, type Severity } from '../core/events/domain-event.js';
import type { Deployment, DeploymentAction } from './deployment.entity.js';

/** The subject of event descriptions by action. */
const SUBJECTS: Record<DeploymentAction, string> = {
  deploy: 'Deployment',
  undeploy: 'Undeployment of',
  rollback: 'Rollback of',
};

/** Base class of the events of a deployment. */
export abstract class DeploymentEvent extends DomainEvent {
  readonly category = 'deployment';
  /** A deployment is the operation that its calls return. */
  override readonly operationId: string;
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly deployment: Deployment,
    metadata: Record<string, unknown> = {},
  ) {
    super(
      actor,
      { id: deployment.id, organizationId: deployment.organizationId, workspaceId: deployment.workspaceId },
      {
        name: deployment.name,
        action: deployment.action,
        design_id: deployment.designId,
        design_version: deployment.designVersion,
        environment_id: deployment.environmentId,
        ...metadata,
      },
    );
    this.operationId = deployment.id;
  }

  get description(): string {
    const { action, name } = this.deployment;
    return `${SUBJECTS[action]} ${name} ${this.verb}`;
  }
}

export class DeploymentRequested extends DeploymentEvent {
  readonly action = 'requested';
  protected readonly verb: string;

  constructor(actor: Actor, deployment: Deployment, metadata: Record<string, unknown>) {
    const { plan_error: error } = deployment.options;
    super(
      actor,
      deployment,
      error ? { ...metadata, plan_error: { code: error.code, detail: error.detail } } : metadata,
    );
    this.verb = error ? 'was requested without a plan, because a cluster could not be asked' : 'was requested';
  }
}

/** One user approved the deployment; others may still have to. */
export class DeploymentApproved extends DeploymentEvent {
  readonly action = 'approved';
  protected readonly verb = 'was approved';
}

export class DeploymentStarted extends DeploymentEvent {
  readonly action = 'started';
  protected readonly verb = 'has started';
}

/** The progress of a running deployment. */
export class DeploymentProgressed extends DeploymentEvent {
  readonly action = 'progress';
  protected readonly verb: string;

  constructor(actor: Actor, deployment: Deployment, progress: { done: number; total: number; waiting: object[] }) {
    super(actor, deployment, { status: deployment.status, ...progress });
    this.verb = `has done ${progress.done} of ${progress.total} resources`;
  }
}

export class DeploymentSucceeded extends DeploymentEvent {
  readonly action = 'success';
  override readonly severity: Severity = 'success';
  protected readonly verb = 'succeeded';
}

export class DeploymentFailed extends DeploymentEvent {
  readonly action = 'failure';
  override readonly severity: Severity = 'error';
  protected readonly verb = 'failed';
}

export class DeploymentCancelled extends DeploymentEvent {
  readonly action = 'cancelled';
  override readonly severity: Severity = 'warning';
  protected readonly verb = 'was cancelled';
}

export class DeploymentRolledBack extends DeploymentEvent {
  readonly action = 'rolled_back';
  override readonly severity: Severity = 'success';
  protected readonly verb = 'succeeded';
}

export class DesignUndeployed extends DeploymentEvent {
  readonly action = 'undeployed';
  override readonly severity: Severity = 'success';
  protected readonly verb = 'succeeded';
}

/** The resources on the cluster differ from what was deployed. */
export class DeploymentDrifted extends DeploymentEvent {
  readonly action = 'drifted';
  override readonly severity: Severity = 'warning';
  protected readonly verb = 'has drifted';
}

/** The resources on the cluster match what was deployed again. */
export class DeploymentHealed extends DeploymentEvent {
  readonly action = 'healed';
  override readonly severity: Severity = 'success';
  protected readonly verb = 'is in sync again';
}
