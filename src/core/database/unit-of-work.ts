import { Injectable, Logger } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { currentRequest, type RequestContext } from '../telemetry/request-context.js';
import { Actor } from '../access/actor.js';
import { AuditedRequests } from './audited-request.js';
import { openTransaction, type OpenTransaction, type Statement } from './open-transaction.js';
import { queryClient } from '../patches/typeorm/pool-queries.js';
import { sentAhead, SET_LOCAL_REQUEST_SQL, SET_LOCAL_USER_SQL } from './pooled-client.js';
import { currentRowSecurityUser, runAsSystem } from './row-security.js';
import { inOneStatement, sendInTurn, type Turns } from './statement-turns.js';

/** The context of work without a request, such as at start. */
const OWN_WORK: RequestContext = { requestId: '', actor: Actor.system('server') };

/**
 * The transaction of the current asynchronous context. Code inside `run` shares it without an argument; code outside
 * reads through the pool.
 */
@Injectable()
export class UnitOfWork {
  private readonly logger = new Logger(UnitOfWork.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: AuditedRequests,
  ) {}

  /** The entity manager of the open transaction, otherwise of the pool. */
  get manager(): EntityManager {
    return openTransaction.getStore()?.manager ?? this.dataSource.manager;
  }

  get isOpen(): boolean {
    return openTransaction.getStore() !== undefined;
  }

  /**
   * Runs work in a transaction, which is rolled back when the work throws. Inside another unit of work, it joins
   * that transaction.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOpen) return work();
    const runner = this.dataSource.createQueryRunner();
    const turns: Turns = { running: 0, most: 1 };
    sendInTurn(runner, turns);
    const open: OpenTransaction = {
      manager: runner.manager,
      turns,
      user: currentRowSecurityUser(),
      beforeCommit: [],
      withCommit: [],
      afterCommit: [],
      gathered: new Map(),
      isOver: false,
    };
    let result: T;
    try {
      await runner.startTransaction();
      const request = currentRequest() ?? OWN_WORK;
      await runner.query(SET_LOCAL_REQUEST_SQL, [this.requests.describe(request), request.organizationId ?? '']);
      result = await openTransaction.run(open, async () => {
        const done = await work();
        for (const listener of open.beforeCommit) await listener();
        return done;
      });
      const last = open.withCommit.flatMap((make) => make());
      if (request.withCommit?.isOver === false) last.push(request.withCommit);
      await (last.length > 0 ? commitAfter(runner, last) : runner.commitTransaction());
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      open.isOver = true;
      await runner.release();
    }
    for (const listener of open.afterCommit) await this.runListener(listener);
    return result;
  }

  /** Runs work outside of the open transaction, for changes that must survive its rollback. */
  runOutside<T>(work: () => Promise<T>): Promise<T> {
    return openTransaction.run(undefined, work);
  }

  /**
   * Runs part of the open transaction as the system, for rules that require more permissions than the caller has;
   * the row-level security policies apply to the system meanwhile.
   */
  async runAsSystem<T>(reason: string, work: () => Promise<T>): Promise<T> {
    const open = openTransaction.getStore();
    if (!open) return runAsSystem(reason, work);
    const { user } = open;
    await this.setUser(open, 'system');
    let result: T;
    try {
      result = await work();
    } catch (error) {
      // After a failed statement the transaction accepts no others, and its rollback resets the setting.
      await this.setUser(open, user).catch(() => undefined);
      throw error;
    }
    await this.setUser(open, user);
    return result;
  }

  /** Runs two queries in the open transaction with one round trip. `first` must send exactly one statement. */
  async queryTogether<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    const { turns } = this.requireOpen();
    turns.most = 2;
    try {
      const [one, other] = await Promise.allSettled([inOneStatement(first), second()]);
      return [valueOf(one), valueOf(other)];
    } finally {
      turns.most = 1;
    }
  }

  /** Sends a constant statement without awaiting it: the next statement, or the commit, fails when it fails. */
  async sendAhead(text: string, values: unknown[]): Promise<void> {
    await this.requireOpen().manager.query(sentAhead(text), values);
  }

  /** Registers a listener that runs before the commit; an error rolls the transaction back. */
  beforeCommit(listener: () => Promise<void>): void {
    this.requireOpen().beforeCommit.push(listener);
  }

  /** Registers statements that are sent together with the commit; an error rolls the transaction back. */
  withCommit(makeLast: () => Statement[]): void {
    this.requireOpen().withCommit.push(makeLast);
  }

  /** Collects items of the open transaction; `makeLast` builds statements for all of them, which are sent with the commit. */
  gather<T>(makeLast: (items: T[]) => Statement[], item: T): void {
    const { gathered, withCommit } = this.requireOpen();
    const items = (gathered.get(makeLast) ?? []) as T[];
    if (items.push(item) > 1) return;
    gathered.set(makeLast, items);
    withCommit.push(() => {
      gathered.delete(makeLast);
      return makeLast(items);
    });
  }

  /** Registers a listener that runs after the commit; its errors are logged and have no other effect. */
  afterCommit(listener: () => Promise<void> | void): void {
    this.requireOpen().afterCommit.push(listener);
  }

  private async setUser(open: OpenTransaction, user: string): Promise<void> {
    open.user = user;
    await open.manager.query(SET_LOCAL_USER_SQL, [user]);
  }

  private requireOpen(): OpenTransaction {
    const open = openTransaction.getStore();
    if (!open) throw new Error('this needs an open unit of work');
    return open;
  }

  private async runListener(listener: () => Promise<void> | void): Promise<void> {
    try {
      await this.runOutside(async () => listener());
    } catch (error) {
      this.logger.error(error, 'a listener failed after the commit');
    }
  }
}

/** Sends the last statements of a transaction and its COMMIT in one write, which keeps their locks short. */
async function commitAfter(runner: QueryRunner, last: Statement[]): Promise<void> {
  const client = (await runner.connect()) as pg.PoolClient;
  const sent = last.map(({ text, values }) => queryClient(client, text, values));
  // COMMIT of a transaction with a failed statement rolls it back.
  const results = await Promise.allSettled([...sent, runner.commitTransaction()]);
  const rows = results.map((result, index) => {
    if (result.status === 'rejected') last[index]?.rethrow?.(result.reason);
    return valueOf<unknown>(result);
  }) as Record<string, unknown>[][];
  last.forEach(({ onCommitted }, index) => onCommitted?.(rows[index] ?? []));
}

function valueOf<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
