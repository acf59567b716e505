import { rank } from '../../core/access/roles.js';

/** Events of an organization itself, which all of its members may read. */
const OF_EVERY_MEMBER = `'organization', 'team', 'member'`;

/**
 * SQL that holds when a row of `access_role` lets its user read an event: an admin of the organization reads all of it;
 * who has a role on its workspace or on the record it tells of reads that; members read what tells of the organization
 * itself, and what they did.
 */
export const letsRead = (role: string, event: string): string => `(
  ${role}.organization_id = ${event}.organization_id AND (
    ${role}.role >= ${rank('organization_admin')}
    OR ${role}.resource_id IN (${event}.workspace_id, ${event}.acted_upon)
    OR (${role}.resource_type = 'organization' AND (
      ${event}.user_id = ${role}.user_id
      OR (${event}.category IN (${OF_EVERY_MEMBER}) AND ${event}.workspace_id IS NULL)))))`;

/** SQL that holds when a user may read an event that belongs to no organization: the registry's, and what they did. */
export const readWithoutRole = (user: string, event: string): string =>
  `(${event}.organization_id IS NULL AND (${event}.category = 'registry' OR ${event}.user_id = ${user}))`;
