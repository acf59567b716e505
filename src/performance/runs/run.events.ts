import type { Actor } from '../../core/access/actor.js';
import { DomainEvent, type Severity } from '../../core/events/domain-event.js';
import type { PerformanceRun } from './run.entity.js';

/** An event of a run. */
export abstract class PerformanceRunEvent extends DomainEvent {
  readonly category = 'performance';
  override readonly operationId: string;
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly run: PerformanceRun,
    metadata: Record<string, unknown> = {},
  ) {
    super(
      actor,
      { id: run.id, organizationId: run.organizationId, workspaceId: run.workspaceId },
      { name: run.name, profile_id: run.profileId, trigger: run.trigger, ...metadata },
    );
    this.operationId = run.id;
  }

  get description(): string {
    return `Performance test ${this.run.name} ${this.verb}`;
  }
}

export class PerformanceRunStarted extends PerformanceRunEvent {
  readonly action = 'started';
  protected readonly verb = 'has started';
}

export class PerformanceRunSucceeded extends PerformanceRunEvent {
  readonly action = 'success';
  override readonly severity: Severity = 'success';
  protected readonly verb = 'has ended';

  constructor(actor: Actor, run: PerformanceRun) {
    super(actor, run, { summary: run.summary });
  }
}

export class PerformanceRunFailed extends PerformanceRunEvent {
  readonly action = 'failure';
  override readonly severity: Severity = 'error';
  protected readonly verb = 'failed';

  constructor(actor: Actor, run: PerformanceRun) {
    super(actor, run, { code: run.error?.code, reason: run.error?.detail });
  }
}

export class PerformanceRunCancelled extends PerformanceRunEvent {
  readonly action = 'cancelled';
  protected readonly verb = 'was cancelled';
}

/** A run succeeded, and its figures exceed the budget of the profile. */
export class PerformanceBudgetExceeded extends PerformanceRunEvent {
  readonly action = 'budget_exceeded';
  override readonly severity: Severity = 'warning';
  protected readonly verb = 'exceeded its budget';

  constructor(actor: Actor, run: PerformanceRun) {
    super(actor, run, { checks: run.budget?.checks.filter(({ passed }) => !passed) });
  }
}
