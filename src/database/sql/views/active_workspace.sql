-- The workspaces that are neither archived nor deleted. A view asks as its owner: callers who cannot read a workspace
-- may learn that it is active.
CREATE OR REPLACE VIEW active_workspace AS
SELECT id FROM workspace WHERE status = 'active' AND deleted_at IS NULL;
REVOKE INSERT, UPDATE, DELETE ON active_workspace FROM armature_service;
