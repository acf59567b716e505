import type { EntityManager } from 'typeorm';

/**
 * Returns the database's transaction start time (`now()`). Use it for stored times that are compared in the
 * database: process clocks differ from the database clock and from one another.
 */
export async function readDatabaseTime(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<[{ now: Date }]>('SELECT now() AS now');
  return row.now;
}
