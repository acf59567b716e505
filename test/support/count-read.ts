import { Actor } from '../../src/core/access/actor.js';
import { UnitOfWork } from '../../src/core/database/unit-of-work.js';
import { runInRequestContext } from '../../src/core/telemetry/request-context.js';
import type { World } from './world.js';

/** How many rows, or entries of indexes, of a table the work reads as the system, where no index is left unused. */
export async function countRead(world: World, table: string, work: () => Promise<unknown>): Promise<number> {
  const unit = world.get(UnitOfWork);
  // The counters of a session have what its last transactions read, too, until they are flushed.
  const readCounters = async (): Promise<number> => {
    const [row] = await unit.manager.query<[{ read: number }]>(
      `SELECT (seq_tup_read + idx_tup_fetch + coalesce((SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid))
                FROM pg_index WHERE indrelid = relid), 0))::int AS read
         FROM pg_stat_xact_user_tables WHERE relname = $1`,
      [table],
    );
    return row.read;
  };
  return runInRequestContext({ requestId: 'test', actor: Actor.system('test') }, () =>
    unit.run(async () => {
      await unit.manager.query('SET LOCAL enable_seqscan = off');
      const before = await readCounters();
      await work();
      return (await readCounters()) - before;
    }),
  );
}
