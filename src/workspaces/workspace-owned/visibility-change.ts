import { Conflict, InvalidRequest } from '../../core/errors/app-error.js';
import type { Visibility, WorkspaceOwnedEntity } from './workspace-owned.entity.js';

/**
 * Checks whether a change may set a visibility. Publishing to the catalog and unpublishing have operations of their own.
 * @param catalog the path of these operations
 * @throws InvalidRequest, Conflict PUBLISHED
 */
export function assertVisibilityChange(
  record: WorkspaceOwnedEntity,
  wanted: Visibility | undefined,
  catalog: string,
): void {
  if (wanted === undefined || wanted === record.visibility) return;
  if (wanted === 'public')
    throw InvalidRequest.forField(
      '/visibility',
      'becomes public by publishing',
      `Call POST ${catalog}/publish with its catalog_data.`,
    );
  if (record.visibility === 'public')
    throw new Conflict('PUBLISHED', 'it is in the catalog', {
      errors: [{ pointer: '/visibility', detail: 'cannot be changed while it is published' }],
      remedy: `Unpublish it first: DELETE ${catalog}/unpublish.`,
    });
}
