import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = `EXECUTE format('CREATE OR REPLACE TRIGGER audited `;
const AFTER = `IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = target.oid AND tgname = 'audited') THEN
              EXECUTE format('CREATE TRIGGER audited `;
const ARGUMENTS = `target.name, 'audit_of_' || target.name);`;
const END = ` END IF;`;

/**
 * `audit_attach()` replaces the functions that its triggers call, which locks no table, and makes a trigger only where there is none:
 * nobody who writes waits for an upgrade, or keeps it waiting.
 */
export class AuditAttach1764000000055 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceIn(queryRunner, [
      [BEFORE, AFTER],
      [ARGUMENTS, ARGUMENTS + END],
    ]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceIn(queryRunner, [
      [AFTER, BEFORE],
      [ARGUMENTS + END, ARGUMENTS],
    ]);
  }
}

async function replaceIn(queryRunner: QueryRunner, changes: [string, string][]): Promise<void> {
  const [{ text }] = (await queryRunner.query(`SELECT pg_get_functiondef('audit_attach()'::regprocedure) AS text`)) as [
    { text: string },
  ];
  const changed = changes.reduce((all, [from, to]) => {
    if (all.split(from).length !== 2) throw new Error(`audit_attach() does not have "${from}" once`);
    return all.split(from).join(to);
  }, text);
  await queryRunner.query(changed);
}
