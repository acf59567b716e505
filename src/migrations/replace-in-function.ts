import type { QueryRunner } from 'typeorm';

/** Replaces texts in the body of an existing function. @throws Error unless it contains each text exactly once */
export async function replaceInFunction(
  queryRunner: QueryRunner,
  signature: string,
  changes: [from: string, to: string][],
): Promise<void> {
  const [{ text }] = (await queryRunner.query('SELECT pg_get_functiondef($1::regprocedure) AS text', [signature])) as [
    { text: string },
  ];
  const changed = changes.reduce((all, [from, to]) => {
    if (all.split(from).length !== 2) throw new Error(`${signature} does not have "${from}" once`);
    return all.split(from).join(to);
  }, text);
  await queryRunner.query(changed);
}
