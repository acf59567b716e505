import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from '../core/database/data-source.js';

const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const INSTALLATION = "'00000000-0000-0000-0000-000000000000'::uuid";

const question = (signature: string, result: string, body: string): string => `
  CREATE OR REPLACE FUNCTION ${signature} RETURNS ${result}
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$ ${body} $$;`;

const CONCERNED = 'concerned_organization(actor uuid, needed int)';
const ROLE_ON = 'role_on(actor uuid, organization uuid, kind text, resource uuid)';

/** The organization that a transaction concerns is only a hint: it is checked first, and then the other organizations of the caller. */
const QUESTIONS =
  question(
    CONCERNED,
    'uuid',
    `DECLARE
      concerned uuid := nullif(current_setting('armature.organization', true), '')::uuid;
    BEGIN
      IF concerned IS NULL THEN
        RETURN (SELECT resource_id FROM access_role
          WHERE user_id = actor AND resource_type = 'organization' AND role >= needed LIMIT 1);
      END IF;
      RETURN (SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'organization' AND resource_id = concerned AND role >= needed);
    END`,
  ) +
  // No grant exceeds the rights of an organization admin, so admins are found without reading the grants.
  question(
    ROLE_ON,
    'smallint',
    `DECLARE
      held smallint := (SELECT role FROM access_role
        WHERE user_id = actor AND resource_type = 'organization' AND resource_id = organization);
    BEGIN
      IF held >= 5 OR kind = 'organization' THEN
        RETURN held;
      END IF;
      RETURN (SELECT max(role) FROM access_role WHERE user_id = actor AND resource_type = kind AND resource_id = resource);
    END`,
  );

const ROLE_ON_BEFORE = question(
  ROLE_ON,
  'smallint',
  `BEGIN RETURN (SELECT max(role) FROM access_role
     WHERE user_id = actor
       AND ((resource_type = 'organization' AND resource_id = organization AND (role >= 5 OR kind = 'organization'))
         OR (resource_type = kind AND resource_id = resource))); END`,
);

/** The first organization of a caller, in the previous and in the new policies. */
const FIRST = String.raw`organizations_of(\((?:(?!organizations_of).)*?\)) AS organizations_of\s+LIMIT 1`;
const NOW = String.raw`concerned_organization(\((?:(?!concerned_organization).)*?\)) AS concerned_organization`;

const among = (column: string): string => `${column} = ANY (ARRAY(SELECT organizations_of(${USER}, 1)))`;
const concernedOrAmong = (column: string): string =>
  `${column} = (SELECT concerned_organization(${USER}, 1)) OR ${among(column)}`;

/** The tables to which each change of a record also writes. */
const writesOfEvents = (isIn: (column: string) => string): string => `
  ALTER POLICY adding ON event
    WITH CHECK ((user_id = ${USER} AND (organization_id IS NULL OR ${isIn('organization_id')})) OR ${SYSTEM});
  ALTER POLICY adding ON event_counter WITH CHECK (feed = ${INSTALLATION} OR ${isIn('feed')} OR ${SYSTEM});
  ALTER POLICY changing ON event_counter USING (feed = ${INSTALLATION} OR ${isIn('feed')} OR ${SYSTEM})
    WITH CHECK (feed = ${INSTALLATION} OR ${isIn('feed')} OR ${SYSTEM});`;

/**
 * Policies check the organization that the transaction concerns before they collect all organizations of the caller. The cost of that check
 * does not depend on the number of organizations of the user.
 */
export class ConcernedOrganization1764000000065 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`${QUESTIONS} GRANT EXECUTE ON FUNCTION ${CONCERNED} TO ${SERVICE_ROLE};`);
    await replaceInPolicies(queryRunner, FIRST, String.raw`concerned_organization\1`);
    await queryRunner.query(writesOfEvents(concernedOrAmong));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(writesOfEvents(among));
    await replaceInPolicies(queryRunner, NOW, String.raw`organizations_of\1 LIMIT 1`);
    await queryRunner.query(`DROP FUNCTION ${CONCERNED}; ${ROLE_ON_BEFORE}`);
  }
}

async function replaceInPolicies(queryRunner: QueryRunner, pattern: string, replacement: string): Promise<void> {
  const policies = (await queryRunner.query(
    `SELECT format('ALTER POLICY %I ON %I.%I %s %s', policyname, schemaname, tablename,
              'USING (' || regexp_replace(qual, $1, $2, 'g') || ')',
              'WITH CHECK (' || regexp_replace(with_check, $1, $2, 'g') || ')') AS change
       FROM pg_policies WHERE schemaname = current_schema() AND (qual ~ $1 OR with_check ~ $1)`,
    [pattern, replacement],
  )) as { change: string }[];
  for (const { change } of policies) await queryRunner.query(change);
}
