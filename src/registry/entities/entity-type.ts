import { NotFound } from '../../core/errors/app-error.js';
import type { EntityType } from '../registry.events.js';

const ENTITY_TYPES: readonly EntityType[] = ['model', 'component', 'relationship'];

/** The type that a path names in the singular or the plural. @throws NotFound */
export function parseEntityType(segment: string): EntityType {
  const type = ENTITY_TYPES.find((each) => segment === each || segment === `${each}s`);
  if (!type) throw new NotFound('entity type', segment);
  return type;
}
