import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const FEED = `coalesce(organization_id, '00000000-0000-0000-0000-000000000000'::uuid)`;
const ERASED = `pattern, '[erased]', 'gi')`;

/** Events are immutable, except for the erasure of personal data. */
export class EventErasure1764000000040 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(String.raw`
      -- Erases an address from the next events of a feed, and from what was sent of them to webhooks.
      CREATE FUNCTION event_erase(of_feed uuid, address text, after bigint, most integer,
          OUT events integer, OUT deliveries integer, OUT last bigint)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        DECLARE
          -- The address by itself, and not within another one.
          pattern text := '(?<![\w.+-])' || regexp_replace(address, '([^\w@])', '\\\1', 'g') || '(?![\w-]|\.\w)';
          met uuid[];
        BEGIN
          IF NOT ${SYSTEM} OR address = '' THEN
            RAISE insufficient_privilege USING MESSAGE = 'the system erases personal data';
          END IF;
          SELECT max(sequence) INTO last FROM (
            SELECT sequence FROM event WHERE ${FEED} = of_feed AND sequence > after ORDER BY sequence LIMIT most) AS batch;
          WITH changed AS (
            UPDATE event SET description = regexp_replace(description, ${ERASED},
                             metadata = regexp_replace(metadata::text, ${ERASED}::jsonb
             WHERE ${FEED} = of_feed AND sequence > after AND sequence <= event_erase.last
               AND (description ~* pattern OR metadata::text ~* pattern)
            RETURNING id
          ) SELECT array_agg(id) INTO met FROM changed;
          UPDATE webhook_delivery SET request = regexp_replace(request::text, ${ERASED}::jsonb,
                                      attempts = regexp_replace(attempts::text, ${ERASED}::jsonb
           WHERE event_id = ANY (met) AND webhook_id IN (SELECT id FROM webhook WHERE organization_id = of_feed);
          GET DIAGNOSTICS deliveries = ROW_COUNT;
          events := coalesce(cardinality(met), 0);
        END $$;

      REVOKE ALL ON FUNCTION event_erase(uuid, text, bigint, integer) FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION event_erase(uuid, text, bigint, integer) TO armature_service;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION event_erase(uuid, text, bigint, integer)');
  }
}
