import type { Actor } from '../../core/access/actor.js';
import { DomainEvent, type Severity } from '../../core/events/domain-event.js';
import type { ControllerFailure, ControllerInstallation } from './controller-installation.entity.js';

/** Base class of events about the operator or an adapter on a cluster. */
export abstract class ControllerEvent extends DomainEvent {
  readonly category = 'controller';
  protected abstract readonly outcome: string;

  constructor(
    actor: Actor,
    readonly installation: ControllerInstallation,
    metadata: Record<string, unknown> = {},
  ) {
    const { connectionId, organizationId, name, target } = installation;
    super(actor, { id: connectionId, organizationId }, { name, target, connection_id: connectionId, ...metadata });
  }

  get description(): string {
    return `${this.installation.name} ${this.outcome}`;
  }
}

export class ControllerDeployed extends ControllerEvent {
  readonly action = 'deployed';
  override readonly severity: Severity = 'success';
  protected readonly outcome = 'runs on the cluster';
}

export class ControllerUndeployed extends ControllerEvent {
  readonly action = 'undeployed';
  override readonly severity: Severity = 'success';
  protected readonly outcome = 'was removed from the cluster';
}

export class ControllerFailed extends ControllerEvent {
  readonly action = 'failure';
  override readonly severity: Severity = 'error';
  protected readonly outcome: string;

  constructor(actor: Actor, installation: ControllerInstallation, failure: ControllerFailure) {
    super(actor, installation, { code: failure.code, reason: failure.detail });
    this.outcome = `could not be ${installation.target === 'enabled' ? 'deployed' : 'removed'}: ${failure.detail}`;
  }
}
