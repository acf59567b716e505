import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The records that users have marked as favourites, and the plans as they were returned. */
export class FavouritesAndPlans1764000000151 implements MigrationInterface {
  readonly name = 'FavouritesAndPlans1764000000151';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE favourite (
        user_id uuid NOT NULL REFERENCES app_user (id),
        type text NOT NULL,
        record_id uuid NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (user_id, type, record_id)
      )`);
    await queryRunner.query('ALTER TABLE deployment_plan ADD COLUMN content bytea');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE deployment_plan DROP COLUMN content');
    await queryRunner.query('DROP TABLE favourite');
    // Its policies went with it, and are applied again to the next one.
    await queryRunner.query(`DELETE FROM applied_script WHERE name = 'policies/favourite.sql'`);
  }
}
