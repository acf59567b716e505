import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceInFunction } from './replace-in-function.js';

const FUNCTION = 'audit_erase(uuid, uuid, text, integer)';
const PART = `strpos(details, address) > 0`;
const WHOLE = `details ~* pattern`;
/** As in `event_erase`: the address by itself, and not within another one. */
const PATTERN = String.raw`'(?<![\w.+-])' || regexp_replace(address, '([^\w@])', '\\\1', 'g') || '(?![\w-]|\.\w)'`;

const CHANGES: [from: string, to: string][] = [
  ['erased integer;', `erased integer;\n          pattern text := ${PATTERN};`],
  [`${PART}), false) AS tells`, `${WHOLE}), false) AS tells`],
  [`(address <> '' AND ${PART}))))`, `(address <> '' AND ${WHOLE})))) AND action <> 'audit.personal_data_erased'`],
];

/** Erases whole addresses from the audit, not parts of longer ones, and keeps the entries of erasures themselves. */
export class AuditErasureOfAddresses1764000000106 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceInFunction(queryRunner, FUNCTION, CHANGES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceInFunction(
      queryRunner,
      FUNCTION,
      CHANGES.map(([from, to]) => [to, from]),
    );
  }
}
