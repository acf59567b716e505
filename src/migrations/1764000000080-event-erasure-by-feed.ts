import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceInFunction } from './replace-in-function.js';

const NIL = "'00000000-0000-0000-0000-000000000000'::uuid";
const BEFORE = `coalesce(organization_id, ${NIL})`;
/** As the index `event_feed` has it. */
const FEED = `(CASE WHEN organization_id IS NULL THEN ${NIL} ELSE organization_id END)`;

const CHANGES = ['ORDER BY sequence', 'AND sequence <='].map((next): [string, string] => [
  `${BEFORE} = of_feed AND sequence > after ${next}`,
  `${FEED} = of_feed AND sequence > after ${next}`,
]);

/** Erasing a person from events finds them by the index of their feed; it read all events for each few of them. */
export class EventErasureByFeed1764000000080 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceInFunction(queryRunner, 'event_erase(uuid, text, bigint, integer)', CHANGES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const back = CHANGES.map(([from, to]): [string, string] => [to, from]);
    await replaceInFunction(queryRunner, 'event_erase(uuid, text, bigint, integer)', back);
  }
}
