import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The signature of the end of each chain, and the version of keys: those of an installation that has signed its ends from its beginning
 * have version 2. An earlier version of the server that still runs appends without signing; the trigger removes the signature of what
 * the end was before, so that it does not seem to be forged.
 */
export class AuditChainSignatures1764000000076 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE audit_chain ADD COLUMN signature text;
      ALTER TABLE audit_key ADD COLUMN version integer NOT NULL DEFAULT 1;
      CREATE FUNCTION audit_chain_unsigned() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
        BEGIN
          NEW.signature := NULL;
          RETURN NEW;
        END $$;
      CREATE TRIGGER unsigned BEFORE UPDATE ON audit_chain FOR EACH ROW
        WHEN (NEW.last <> OLD.last AND NEW.signature = OLD.signature) EXECUTE FUNCTION audit_chain_unsigned();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER unsigned ON audit_chain;
      DROP FUNCTION audit_chain_unsigned();
      ALTER TABLE audit_key DROP COLUMN version;
      ALTER TABLE audit_chain DROP COLUMN signature;
    `);
  }
}
