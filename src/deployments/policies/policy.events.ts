import type { Actor } from '../../core/access/actor.js';
import { DomainEvent, type Severity } from '../../core/events/domain-event.js';
import type { PolicyViolation } from '../plan/policy-violation.js';
import type { PolicySubject } from './policy-evaluation.service.js';

/** Maximum number of violations in one event. */
const MAX_NAMED = 20;

/** The resources of a requested deployment violate policies; `refused` is true if the deployment was refused for that. */
export class PolicyViolated extends DomainEvent {
  readonly category = 'policy';
  readonly action = 'violation';
  override readonly severity: Severity = 'warning';

  constructor(
    actor: Actor,
    { organizationId, workspaceId, designId, designVersion, environmentId }: PolicySubject,
    violations: PolicyViolation[],
    private readonly refused: boolean,
  ) {
    super(
      actor,
      { id: designId, organizationId, workspaceId },
      {
        design_version: designVersion,
        environment_id: environmentId,
        refused,
        count: violations.length,
        violations: violations.slice(0, MAX_NAMED),
      },
    );
  }

  get description(): string {
    return this.refused ? 'A deployment violates policies and was refused' : 'A deployment violates policies that warn';
  }
}
