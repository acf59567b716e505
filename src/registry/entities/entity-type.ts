import { InvalidRequest } from '../../core/errors/app-error.js';

const ENTITY_TYPES = ['model', 'component', 'relationship'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** How paths name the types: in the singular or the plural. */
export const ENTITY_TYPE_SEGMENTS = ENTITY_TYPES.flatMap((type) => [type, `${type}s`]);

/** The type that a path names in the singular or the plural. @throws InvalidRequest */
export function parseEntityType(segment: string): EntityType {
  const type = ENTITY_TYPES.find((each) => segment === each || segment === `${each}s`);
  if (type) return type;
  throw InvalidRequest.forField('entityType', `must be one of ${ENTITY_TYPE_SEGMENTS.join(', ')}`);
}
