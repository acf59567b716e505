import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceInFunction } from './replace-in-function.js';

const BEGIN = 'BEGIN';
const SKIP = `BEGIN
          -- How far a deployment has come is no change of anything.
          IF NEW.category = 'deployment' AND NEW.action = 'progress' THEN RETURN NULL; END IF;`;
const TRIGGER = 'CREATE OR REPLACE TRIGGER audited AFTER INSERT ON event FOR EACH ROW';

/**
 * The trigger function decides whether an event is audited, because PostgreSQL parses the condition of a trigger again for every statement.
 */
export class AuditOfProgress1764000000070 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceInFunction(queryRunner, 'audit_event()', [[`${BEGIN}\n`, `${SKIP}\n`]]);
    await queryRunner.query(`${TRIGGER} EXECUTE FUNCTION audit_event()`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `${TRIGGER} WHEN (NOT (NEW.category = 'deployment' AND NEW.action = 'progress')) EXECUTE FUNCTION audit_event()`,
    );
    await replaceInFunction(queryRunner, 'audit_event()', [[`${SKIP}\n`, `${BEGIN}\n`]]);
  }
}
