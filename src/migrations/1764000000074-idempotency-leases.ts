import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from '../core/database/data-source.js';

const SIGNATURE = 'mark_idempotent_write(of_caller text, of_route text, of_key text, of_claim uuid)';

/**
 * Which request holds an idempotency key, until when unless it is renewed, and whether something of it was committed. The mark is set
 * by the transaction that changes something: a request that lost its key to another cannot commit. Claims of earlier versions hold for
 * as long as they do there.
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
