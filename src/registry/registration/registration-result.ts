import type { Fault } from '../../core/errors/app-error.js';
import type { DefinitionFault } from '../../formats/definitions/definitions.js';
import type { RegistrationCounts, RegistrationOutcome } from '../entities/registry.events.js';

/** The outcome of an entity, actual or of a dry run. */
export const REGISTRATION_VERDICTS = ['registered', 'updated', 'unchanged', 'would_register', 'would_update'] as const;
export type RegistrationVerdict = (typeof REGISTRATION_VERDICTS)[number];

/** An entity in an answer: without an id in a dry run. */
export type Answered<E> = Omit<E, 'id' | 'outcome'> & { id?: string; outcome: RegistrationVerdict };

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

/** The result of a registration: the registered entities, and the faults. */
export interface RegistrationResult {
  models: Answered<RegisteredModel>[];
  components: Answered<RegisteredComponent>[];
  relationships: Answered<RegisteredRelationship>[];
  /** Kinds of connections that the package defines. */
  connections: { kind: string; name: string; outcome: RegistrationVerdict }[];
  counts: RegistrationCounts;
  errors: DefinitionFault[];
  warnings: Fault[];
}

/** The outcomes of the entities; the reader adds connections and faults. */
export interface RegisteredEntities {
  models: RegisteredModel[];
  components: RegisteredComponent[];
  relationships: RegisteredRelationship[];
}

/** The outcome of an entity: created or restored, updated, or unchanged. */
export function decideOutcome(
  known: { digest: string; deletedAt: Date | null } | undefined,
  digest: string,
): RegistrationOutcome {
  if (!known || known.deletedAt) return 'registered';
  return known.digest === digest ? 'unchanged' : 'updated';
}

const TRY_OUT_VERDICTS: Partial<Record<RegistrationVerdict, RegistrationVerdict>> = {
  registered: 'would_register',
  updated: 'would_update',
};

/** The same as the answer of a dry run: nothing was registered, so nothing has an id. */
export function toDryRunResult(result: RegistrationResult): RegistrationResult {
  const toVerdict = <E extends { id?: string; outcome: RegistrationVerdict }>({ id: _, ...entity }: E) => ({
    ...entity,
    outcome: TRY_OUT_VERDICTS[entity.outcome] ?? entity.outcome,
  });
  const { models, components, relationships, connections } = result;
  return {
    ...result,
    models: models.map(toVerdict),
    components: components.map(toVerdict),
    relationships: relationships.map(toVerdict),
    connections: connections.map(toVerdict),
  };
}
