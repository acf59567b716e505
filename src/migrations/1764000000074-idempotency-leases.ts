import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from '../core/database/data-source.js';

const SIGNATURE = 'mark_idempotent_write(of_caller text, of_route text, of_key text, of_claim uuid)';

/**
 * The lease of an idempotency key: the request that holds it, its expiry, and whether the request has committed a change. The transaction that
 * commits a change sets that mark, so a request that lost its lease cannot commit. Keys of earlier versions keep their expiry.
 */
export class IdempotencyLeases1764000000074 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE idempotency_key
        ADD COLUMN claim uuid,
        ADD COLUMN lease_until timestamptz NOT NULL DEFAULT now() + interval '20 minutes',
        ADD COLUMN has_written boolean NOT NULL DEFAULT false;
      CREATE FUNCTION ${SIGNATURE} RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
      BEGIN
        IF pg_current_xact_id_if_assigned() IS NULL THEN
          RETURN;
        END IF;
        UPDATE idempotency_key SET has_written = true
         WHERE caller = of_caller AND route = of_route AND key = of_key AND claim = of_claim;
        IF NOT FOUND THEN
          RAISE EXCEPTION 'another request has taken over the idempotency key';
        END IF;
      END $$;
      REVOKE EXECUTE ON FUNCTION ${SIGNATURE} FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION ${SIGNATURE} TO ${SERVICE_ROLE};
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION ${SIGNATURE};
      ALTER TABLE idempotency_key DROP COLUMN claim, DROP COLUMN lease_until, DROP COLUMN has_written;
    `);
  }
}
