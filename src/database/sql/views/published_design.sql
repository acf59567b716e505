-- All that a stranger may know of a design. A view asks as its owner, to whom the policies do not apply.
CREATE OR REPLACE VIEW published_design AS
SELECT d.id, d.organization_id, d.workspace_id, p.name, d.user_id, d.visibility, p.source_type, p.number AS version_number, p.version,
  jsonb_build_object('type', d.location->>'type', 'host', '', 'path', '', 'branch', '') AS location, NULL::jsonb AS cloned_from,
  d.catalog_data, p.unsupported, d.deployment_count, d.clone_count, d.download_count, p.technologies,
  p.created_at, p.published_at AS updated_at, d.deleted_at, d.revision
FROM publication p
JOIN design d ON d.id = p.design_id AND d.deleted_at IS NULL
JOIN active_workspace w ON w.id = d.workspace_id;
REVOKE INSERT, UPDATE, DELETE ON published_design FROM armature_service;
