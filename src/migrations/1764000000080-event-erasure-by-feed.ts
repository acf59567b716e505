import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceInFunction } from './replace-in-function.js';

const NIL = "'00000000-0000-0000-0000-000000000000'::uuid";
const BEFORE = `coalesce(organization_id, ${NIL})`;
/** The expression of the index `event_feed`. */
const FEED = `(CASE WHEN organization_id IS NULL THEN ${NIL} ELSE organization_id END)`;

const CHANGES = ['ORDER BY sequence', 'AND sequence <='].map((next): [string, string] => [
  `${BEFORE} = of_feed AND sequence > after ${next}`,
  `${FEED} = of_feed AND sequence > after ${next}`,
]);

/** Finds events of a person to be erased by the index of feeds, instead of reading all events for each batch. */
export class EventErasureByFeed1764000000080 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceInFunction(queryRunner, 'event_erase(uuid, text, bigint, integer)', CHANGES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const back = CHANGES.map(([from, to]): [string, string] => [to, from]);
    await replaceInFunction(queryRunner, 'event_erase(uuid, text, bigint, integer)', back);
  }
}
