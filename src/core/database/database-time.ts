import type { EntityManager } from 'typeorm';

/**
 * The time of the database, in a transaction of its beginning. Times that are kept and compared there are made of it: the clocks of
 * processes differ from it and from one another.
 */
export async function readDatabaseTime(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<[{ now: Date }]>('SELECT now() AS now');
  return row.now;
}
