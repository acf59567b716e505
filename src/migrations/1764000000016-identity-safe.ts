import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Unconfirmed accounts, whose password another user has set; tokens that only invitation e-mails contain; failed sign-ins. */
export class IdentitySafe1764000000016 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE app_user ADD unconfirmed_by uuid REFERENCES app_user;
      ALTER TABLE invitation ADD proof_hash bytea;
      CREATE INDEX invitation_sender ON invitation (invited_by) WHERE accepted_at IS NULL AND deleted_at IS NULL;

      -- How often something failed lately, and from where accounts signed in, by keyed hashes.
      CREATE TABLE failed_attempt (
        key bytea PRIMARY KEY,
        failures integer NOT NULL,
        until timestamptz NOT NULL
      );
      CREATE INDEX failed_attempt_until ON failed_attempt (until);
      CREATE TABLE known_network (
        pair bytea PRIMARY KEY,
        seen_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX known_network_seen ON known_network (seen_at);

      -- Accounts that admins made so far: their events say who.
      UPDATE app_user u SET unconfirmed_by = e.user_id FROM event e
       WHERE e.acted_upon = u.id AND e.category = 'user' AND e.action = 'created' AND e.user_id <> u.id
         AND u.kind = 'person' AND u.password_hash IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE known_network, failed_attempt;
      DROP INDEX invitation_sender;
      ALTER TABLE invitation DROP proof_hash;
      ALTER TABLE app_user DROP unconfirmed_by;
    `);
  }
}
