-- The roles of users: in their organizations, and by grant in workspaces, in the environments of those, and on the
-- connections of those. The numbers are those of ROLES in src/core/access. Policies and core/access ask this view,
-- mostly through functions. NOT MATERIALIZED, because each query would otherwise collect the grants of all users. In an
-- archived or deleted workspace only admins (4) keep their role, so that they can restore it.
CREATE OR REPLACE VIEW access_role AS
WITH granted AS NOT MATERIALIZED (
  SELECT g.user_id, w.organization_id, w.id AS workspace_id, g.role
    FROM (
      SELECT user_id, workspace_id, role FROM workspace_member
      UNION ALL
      SELECT member.user_id, held.workspace_id, held.role
        FROM workspace_team held
        JOIN team ON team.id = held.team_id AND team.deleted_at IS NULL
        JOIN team_member member ON member.team_id = team.id) g
    JOIN workspace w ON w.id = g.workspace_id
    JOIN organization o ON o.id = w.organization_id AND o.deleted_at IS NULL
    JOIN organization_member m ON m.organization_id = w.organization_id AND m.user_id = g.user_id
   WHERE (w.status = 'active' AND w.deleted_at IS NULL) OR g.role >= 4
), assigned AS NOT MATERIALIZED (
  SELECT g.user_id, g.organization_id, a.environment_id, g.role
    FROM granted g
    JOIN workspace_environment a ON a.workspace_id = g.workspace_id AND a.deleted_at IS NULL
)
SELECT m.user_id, m.organization_id, 'organization'::text AS resource_type, m.organization_id AS resource_id, m.role
  FROM organization_member m JOIN organization o ON o.id = m.organization_id AND o.deleted_at IS NULL
UNION ALL
SELECT user_id, organization_id, 'workspace', workspace_id, role FROM granted
UNION ALL
SELECT user_id, organization_id, 'environment', environment_id, role FROM assigned
UNION ALL
SELECT a.user_id, a.organization_id, 'connection', c.connection_id, a.role
  FROM assigned a JOIN environment_connection c ON c.environment_id = a.environment_id AND c.deleted_at IS NULL;
REVOKE INSERT, UPDATE, DELETE ON access_role FROM armature_service;
