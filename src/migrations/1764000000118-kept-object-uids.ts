import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the place for which an object is recorded by its uid. */
export class KeptObjectUids1764000000118 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX kept_objects_uids ON kept_objects USING gin (jsonb_path_query_array(objects, '$[*].uid'))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX kept_objects_uids');
  }
}
