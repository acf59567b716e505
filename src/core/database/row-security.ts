import type { DataSource } from 'typeorm';
import { Actor } from '../access/actor.js';
import { getPool, wrapConnect } from '../patches/pg/pool-connect.js';
import { PooledClient, SET_USER_SQL } from './pooled-client.js';
import { currentRequest, runInRequestContext, generateRequestId } from '../telemetry/request-context.js';

/**
 * Sets the user for the row-level security policies whenever a connection is taken from the pool: the caller of the
 * request, nobody while the request is not authenticated, and the system outside of requests (start-up, timers,
 * jobs). This takes a statement, sent together with the next one, only when the connection's previous user differs.
 */
export function bindRowSecurityUser(dataSource: DataSource): void {
  wrapConnect(getPool(dataSource), (connect) => (callback) => {
    const user = currentRowSecurityUser();
    connect((error, client, release) => {
      if (client instanceof PooledClient && client.rowSecurityUser !== user) {
        client.rowSecurityUser = user;
        void client.query(SET_USER_SQL, [user]);
      }
      callback(error, client, release);
    });
  });
}

/** Runs queries as the system, for rules that need records which the caller may not see. Not for use inside a unit of work. */
export function runAsSystem<T>(reason: string, work: () => T): T {
  const current = currentRequest() ?? { requestId: generateRequestId() };
  const onBehalfOf = current.onBehalfOf ?? current.actor?.userId ?? undefined;
  return runInRequestContext({ ...current, actor: Actor.system(reason), ...(onBehalfOf ? { onBehalfOf } : {}) }, work);
}

/** The user that the row-level security policies apply to in the current context. */
export function currentRowSecurityUser(): string {
  const request = currentRequest();
  if (!request || request.actor?.isSystem) return 'system';
  return request.actor?.userId ?? '';
}
