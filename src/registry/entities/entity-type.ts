import { InvalidRequest } from '../../core/errors/app-error.js';

const ENTITY_TYPES = ['model', 'component', 'relationship'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** The names of the types in paths: singular or plural. */
export const ENTITY_TYPE_SEGMENTS = ENTITY_TYPES.flatMap((type) => [type, `${type}s`]);

/** The type of a name in a path, singular or plural. @throws InvalidRequest */
export function parseEntityType(segment: string): EntityType {
  const type = ENTITY_TYPES.find((each) => segment === each || segment === `${each}s`);
  if (type) return type;
  throw InvalidRequest.forField('entityType', `must be one of ${ENTITY_TYPE_SEGMENTS.join(', ')}`);
}
