import { Conflict, MAX_FAULTS } from '../../core/errors/app-error.js';
import { describeObject } from '../../kubernetes/clusters/kubernetes-object.js';
import type { PolicyViolation } from '../plan/policy-violation.js';
import type { PolicyVerdict } from './policy-task.js';

/** A violation with the message of its policy. */
export function toPolicyViolation({ policy, resource, reason }: PolicyVerdict): PolicyViolation {
  const said = policy.message || `does not comply with policy ${policy.name}`;
  return {
    ...resource,
    policy_id: policy.id,
    policy: policy.name,
    mode: policy.mode,
    message: reason === null ? said : `${said} (the rule could not be evaluated: ${reason})`,
    reason,
  };
}

/** The error for violations of enforced policies. */
export function policyConflict(violations: PolicyViolation[]): Conflict {
  const errors = violations.slice(0, MAX_FAULTS).map(({ policy, message, ...resource }) => ({
    detail: `${describeObject(resource)}: policy ${policy}: ${message}`,
    keyword: 'policy',
  }));
  const more = violations.length > 1 ? `, and ${violations.length - 1} more` : '';
  return new Conflict('POLICY_VIOLATION', `${errors[0]?.detail ?? 'a policy is violated'}${more}`, {
    errors,
    extensions: { violations: violations.slice(0, MAX_FAULTS) },
    remedy: 'Change the resources so that they comply, or ask an admin of the workspace about the policy.',
  });
}
