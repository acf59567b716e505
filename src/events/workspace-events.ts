import { INTERIM_SQL } from '../core/events/event-kinds.js';

/**
 * SQL of whether an `event` belongs to the activity of a workspace: it happened there, or changed an environment while that was assigned to
 * the workspace. Each condition has an index.
 */
export const happenedInSql = (workspace: string): string => `(
  (event.workspace_id = ${workspace} AND NOT ${INTERIM_SQL})
  OR (event.acted_upon = ANY (ARRAY(${assignedSql(workspace)})) AND event.category = 'environment'
    AND EXISTS (${assignedSql(workspace)} AND mapping.environment_id = event.acted_upon AND mapping.created_at <= event.created_at)))`;

const assignedSql = (workspace: string): string => `SELECT mapping.environment_id FROM workspace_environment mapping
  WHERE mapping.workspace_id = ${workspace} AND mapping.deleted_at IS NULL`;
