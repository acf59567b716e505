export const POLICY_MODES = ['enforce', 'warn'] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

/** Identifies a resource of a design. */
export interface PolicyResource {
  component: string;
  api_version: string;
  kind: string;
  namespace: string | null;
  name: string;
}

/** A resource that violates a policy, as reported by plans, deployments and events. */
export interface PolicyViolation extends PolicyResource {
  policy_id: string;
  policy: string;
  mode: PolicyMode;
  message: string;
  /** Why the rule could not be evaluated; null when it evaluated to false. */
  reason: string | null;
}

/** Whether the violation refuses a deployment. */
export const isEnforced = ({ mode }: PolicyViolation): boolean => mode === 'enforce';
