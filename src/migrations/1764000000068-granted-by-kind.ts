import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The kinds that the view of roles knows. */
const KINDS = ['organization', 'workspace', 'environment', 'connection'];

/** The functions that name what a user has been granted, by their parameters and what they ask beside user and kind. */
const FUNCTIONS: Record<string, string> = {
  'actor uuid, kind text': '',
  'actor uuid, kind text, needed integer': ' AND role >= needed',
};

const query = (kind: string, condition: string): string =>
  `RETURN QUERY SELECT resource_id FROM access_role WHERE user_id = actor AND resource_type = ${kind}${condition};`;

const grantedResources = (parameters: string, body: string): string => `
  CREATE OR REPLACE FUNCTION granted_resources(${parameters}) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$ BEGIN ${body} END $$`;

/**
 * A plan for one kind of resource names the tables of that kind. The plan for any kind names those of all, each of which is opened and
 * locked at every call of every policy that asks: a list of a viewer spent a fifth of its time there.
 */
export class GrantedByKind1764000000068 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [parameters, condition] of Object.entries(FUNCTIONS)) {
      const ofKinds = KINDS.map((kind) => `WHEN '${kind}' THEN ${query(`'${kind}'`, condition)}`);
      // What the view does not know has been granted to nobody.
      const body = `CASE kind ${ofKinds.join('\n')} ELSE NULL; END CASE;`;
      await queryRunner.query(grantedResources(parameters, body));
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [parameters, condition] of Object.entries(FUNCTIONS))
      await queryRunner.query(grantedResources(parameters, query('kind', condition)));
  }
}
