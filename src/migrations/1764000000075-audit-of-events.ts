import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceInFunction } from './replace-in-function.js';

/** Whether the transaction has written a change down; a savepoint that is rolled back takes this back with the change. */
const HAS_CHANGES = `current_setting('armature.changed', true) = 'on'`;
/** Of the first change of a transaction: its events are read when this is sealed. */
const WITH_EVENTS = `CASE WHEN ${HAS_CHANGES} THEN false ELSE set_config('armature.changed', 'on', true) = 'on' END`;
/** Of an event of a transaction that has written a change down before it. */
const TRANSACTION = `CASE WHEN ${HAS_CHANGES} THEN pg_current_xact_id()::text::bigint END`;

const ATTACH: [string, string][] = [
  [
    'resource_type, resource_id, after, acting, context, created_at)',
    'resource_type, resource_id, after, acting, context, created_at, with_events)',
  ],
  [
    'resource_type, resource_id, before, after, acting, context, created_at)',
    'resource_type, resource_id, before, after, acting, context, created_at, with_events)',
  ],
  [
    `clock_timestamp());
                    RETURN NULL;`,
    `clock_timestamp(), ${WITH_EVENTS});
                    RETURN NULL;`,
  ],
  [
    `clock_timestamp());
                  RETURN NULL;
                END $body$`,
    `clock_timestamp(), ${WITH_EVENTS});
                  RETURN NULL;
                END $body$`,
  ],
];

const APPEND: [string, string][] = [
  ['metadata, created_at)\n        VALUES', 'metadata, created_at, transaction)\n        VALUES'],
  [`one -> 'metadata', clock_timestamp())`, `one -> 'metadata', clock_timestamp(), ${TRANSACTION})`],
  ['metadata, created_at)\n    SELECT', 'metadata, created_at, transaction)\n    SELECT'],
  ['given.metadata, clock_timestamp()\n', `given.metadata, clock_timestamp(), ${TRANSACTION}\n`],
];

const TRIGGER = 'CREATE OR REPLACE TRIGGER audited AFTER INSERT ON event FOR EACH ROW';

/**
 * An event of a transaction whose changes are audited is not written down a second time: it has the number of the transaction, by which
 * it is read when the first of the changes is sealed. Events without a change have rows of their own, as before.
 */
export class AuditOfEvents1764000000075 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE audit_pending ADD COLUMN with_events boolean NOT NULL DEFAULT false;
      ALTER TABLE event ADD COLUMN transaction bigint;
      CREATE INDEX event_transaction ON event (transaction) WHERE transaction IS NOT NULL;
    `);
    await replaceInFunction(queryRunner, 'audit_attach()', ATTACH);
    await replaceInFunction(queryRunner, 'append_events(jsonb)', APPEND);
    await queryRunner.query(`${TRIGGER} WHEN (NEW.transaction IS NULL) EXECUTE FUNCTION audit_event();
      SELECT audit_attach()`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const back = (changes: [string, string][]) => changes.map(([from, to]): [string, string] => [to, from]);
    await queryRunner.query(`${TRIGGER} EXECUTE FUNCTION audit_event()`);
    await replaceInFunction(queryRunner, 'append_events(jsonb)', back(APPEND));
    await replaceInFunction(queryRunner, 'audit_attach()', back(ATTACH));
    await queryRunner.query(`
      SELECT audit_attach();
      DROP INDEX event_transaction;
      ALTER TABLE event DROP COLUMN transaction;
      ALTER TABLE audit_pending DROP COLUMN with_events;
    `);
  }
}
