import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceInFunction } from './replace-in-function.js';

const BEFORE = `EXECUTE format('CREATE OR REPLACE TRIGGER audited `;
const AFTER = `IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = target.oid AND tgname = 'audited') THEN
              EXECUTE format('CREATE TRIGGER audited `;
const ARGUMENTS = `target.name, 'audit_of_' || target.name);`;
const END = ` END IF;`;

/**
 * `audit_attach()` replaces the functions that its triggers call, which locks no table, and creates only missing triggers, so that writers and
 * an upgrade do not wait for each other.
 */
export class AuditAttach1764000000055 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceInFunction(queryRunner, 'audit_attach()', [
      [BEFORE, AFTER],
      [ARGUMENTS, ARGUMENTS + END],
    ]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceInFunction(queryRunner, 'audit_attach()', [
      [AFTER, BEFORE],
      [ARGUMENTS + END, ARGUMENTS],
    ]);
  }
}
