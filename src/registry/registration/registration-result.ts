import type { Fault } from '../../core/errors/app-error.js';
import type { DefinitionFault } from '../../formats/definitions/definitions.js';

/** What registering did to one entity. */
export type RegistrationOutcome = 'registered' | 'updated' | 'unchanged';

export interface RegisteredModel {
  id: string;
  name: string;
  version: string;
  displayName: string;
  registrant: { kind: string; hostname: string };
  outcome: RegistrationOutcome;
}

export interface RegisteredComponent {
  id: string;
  kind: string;
  apiVersion: string;
  displayName: string;
  model: { name: string; version: string };
  outcome: RegistrationOutcome;
}

export interface RegisteredRelationship {
  id: string;
  kind: string;
  type: string;
  sub_type: string;
  model: { name: string; version: string };
  outcome: RegistrationOutcome;
}

/** Models, components and relationships together. */
export type RegistrationCounts = Record<RegistrationOutcome | 'failed', number>;

/** What came of a registration: what was taken, and what could not be. */
export interface RegistrationResult {
  models: RegisteredModel[];
  components: RegisteredComponent[];
  relationships: RegisteredRelationship[];
  /** Kinds of connections that the package defines. */
  connections: { kind: string; name: string; outcome: RegistrationOutcome }[];
  counts: RegistrationCounts;
  errors: DefinitionFault[];
  warnings: Fault[];
}

export const emptyCounts = (failed = 0): RegistrationCounts => ({ registered: 0, updated: 0, unchanged: 0, failed });

/** What is to become of an entity: it is new or comes back, it says something else now, or nothing is to do. */
export function decideOutcome(
  known: { digest: string; deletedAt: Date | null } | undefined,
  digest: string,
): RegistrationOutcome {
  if (!known || known.deletedAt) return 'registered';
  return known.digest === digest ? 'unchanged' : 'updated';
}
