import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Watched objects have a digest, by which only changed ones are written. The version before works without the index, which
 * no query of this one needs, and the organization is that of the connection.
 */
export class DigestsOfResources1764000000154 implements MigrationInterface {
  readonly name = 'DigestsOfResources1764000000154';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE cluster_resource ADD COLUMN digest text;
      ALTER TABLE cluster_resource DROP CONSTRAINT cluster_resource_organization_id_fkey;
      DROP INDEX cluster_resource_uid`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX cluster_resource_uid ON cluster_resource (connection_id, uid);
      ALTER TABLE cluster_resource ADD CONSTRAINT cluster_resource_organization_id_fkey
        FOREIGN KEY (organization_id) REFERENCES organization(id);
      ALTER TABLE cluster_resource DROP COLUMN digest`);
  }
}
