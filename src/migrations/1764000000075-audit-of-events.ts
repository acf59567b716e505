import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceInFunction } from './replace-in-function.js';

/** The number of the changes of the transaction, once one is recorded; a rollback to a savepoint resets it with the change. */
const CHANGE_SET = `nullif(current_setting('armature.change_set', true), '')::bigint`;
/** Set on the first change of a transaction; its events are read by this number when it is sealed. */
const NEW_CHANGE_SET = `CASE WHEN ${CHANGE_SET} IS NULL
                      THEN set_config('armature.change_set', nextval('audit_change_set')::text, true)::bigint END`;

const ATTACH: [string, string][] = [
  [
    'resource_type, resource_id, after, acting, context, created_at)',
    'resource_type, resource_id, after, acting, context, created_at, change_set)',
  ],
  [
    'resource_type, resource_id, before, after, acting, context, created_at)',
    'resource_type, resource_id, before, after, acting, context, created_at, change_set)',
  ],
  [
    `clock_timestamp());
                    RETURN NULL;`,
    `clock_timestamp(), ${NEW_CHANGE_SET});
                    RETURN NULL;`,
  ],
  [
    `clock_timestamp());
                  RETURN NULL;
                END $body$`,
    `clock_timestamp(), ${NEW_CHANGE_SET});
                  RETURN NULL;
                END $body$`,
  ],
];

const APPEND: [string, string][] = [
  ['metadata, created_at)\n        VALUES', 'metadata, created_at, change_set)\n        VALUES'],
  [`one -> 'metadata', clock_timestamp())`, `one -> 'metadata', clock_timestamp(), ${CHANGE_SET})`],
  ['metadata, created_at)\n    SELECT', 'metadata, created_at, change_set)\n    SELECT'],
  ['given.metadata, clock_timestamp()\n', `given.metadata, clock_timestamp(), ${CHANGE_SET}\n`],
];

/**
 * Hides pending changes from sealing processes of earlier versions, which would seal them without their events.
 */
const IS_SEALER = `current_setting('armature.sealing', true) = 'change sets'`;
const reading = (condition: string): string => `DROP POLICY reading ON audit_pending;
  CREATE POLICY reading ON audit_pending FOR SELECT USING ((SELECT ${condition}))`;
const IS_SYSTEM = `current_setting('armature.user', true) = 'system'`;

const TRIGGER = 'CREATE OR REPLACE TRIGGER audited AFTER INSERT ON event FOR EACH ROW';

/**
 * An event of a transaction with audited changes is not recorded twice: it has the number of these changes, by which it is read when the first of
 * them is sealed. Events without a change have separate rows, as before. Transaction ids are not used as numbers, because they start again on
 * another server to which the database is restored.
 */
export class AuditOfEvents1764000000075 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE SEQUENCE audit_change_set;
      ALTER TABLE audit_pending ADD COLUMN change_set bigint;
      ALTER TABLE event ADD COLUMN change_set bigint;
      CREATE INDEX event_change_set ON event (change_set) WHERE change_set IS NOT NULL;
      ${reading(`${IS_SYSTEM} AND ${IS_SEALER}`)};
    `);
    await replaceInFunction(queryRunner, 'audit_attach()', ATTACH);
    await replaceInFunction(queryRunner, 'append_events(jsonb)', APPEND);
    await queryRunner.query(`${TRIGGER} WHEN (NEW.change_set IS NULL) EXECUTE FUNCTION audit_event();
      SELECT audit_attach()`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const back = (changes: [string, string][]) => changes.map(([from, to]): [string, string] => [to, from]);
    await queryRunner.query(`${TRIGGER} EXECUTE FUNCTION audit_event()`);
    await replaceInFunction(queryRunner, 'append_events(jsonb)', back(APPEND));
    await replaceInFunction(queryRunner, 'audit_attach()', back(ATTACH));
    await queryRunner.query(`
      SELECT audit_attach();
      ${reading(IS_SYSTEM)};
      DROP INDEX event_change_set;
      ALTER TABLE event DROP COLUMN change_set;
      ALTER TABLE audit_pending DROP COLUMN change_set;
      DROP SEQUENCE audit_change_set;
    `);
  }
}
