-- The organizations that are not deleted. A view asks as its owner: that an organization exists may be known to those
-- who do not see it.
CREATE OR REPLACE VIEW active_organization AS
SELECT id FROM organization WHERE deleted_at IS NULL;
REVOKE INSERT, UPDATE, DELETE ON active_organization FROM armature_service;
