import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notifies replicas, which cache memberships of organizations, of each change when it commits. */
export class MembershipNotices1764000000023 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION tell_membership() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM pg_notify('armature_memberships', coalesce(NEW.user_id, OLD.user_id)::text);
          RETURN NULL;
        END $$;
      CREATE TRIGGER tell_membership AFTER INSERT OR UPDATE OR DELETE ON organization_member
        FOR EACH ROW EXECUTE FUNCTION tell_membership();

      CREATE FUNCTION tell_memberships() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM pg_notify('armature_memberships', '');
          RETURN NULL;
        END $$;
      CREATE TRIGGER tell_memberships AFTER UPDATE OF deleted_at ON organization FOR EACH ROW
        WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION tell_memberships();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER tell_membership ON organization_member;
      DROP TRIGGER tell_memberships ON organization;
      DROP FUNCTION tell_membership, tell_memberships;
    `);
  }
}
