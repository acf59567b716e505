import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceInFunction } from './replace-in-function.js';

const NIL = '00000000-0000-0000-0000-000000000000';

const CHANGES: [string, string][] = [
  [`verb text := 'created';`, `verb text;`],
  [
    `IF TG_OP = 'UPDATE' THEN`,
    `IF TG_OP = 'INSERT' THEN
                    INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, after, acting, context, created_at)
                    VALUES (pg_current_xact_id()::text::bigint, coalesce(%10$s, '${NIL}'), 'change', %11$L || 'created', %12$L, %8$s, %6$s,
                            coalesce(current_setting('armature.user', true), 'database ' || session_user),
                            nullif(current_setting('armature.request', true), ''), clock_timestamp());
                    RETURN NULL;
                  ELSIF TG_OP = 'UPDATE' THEN`,
  ],
  [
    `ELSIF TG_OP = 'DELETE' THEN
                    verb := 'deleted';
                    was := %5$s;
                  ELSE
                    became := %6$s;
                  END IF;`,
    `ELSE
                    verb := 'deleted';
                    was := %5$s;
                  END IF;`,
  ],
];

/**
 * Records an insert in the audit with one statement, because PL/pgSQL initializes each expression in every transaction, which took longer than
 * writing the row.
 */
export class AuditOfInserts1764000000069 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceInFunction(queryRunner, 'audit_attach()', CHANGES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const back = CHANGES.map(([from, to]): [string, string] => [to, from]);
    await replaceInFunction(queryRunner, 'audit_attach()', back);
  }
}
