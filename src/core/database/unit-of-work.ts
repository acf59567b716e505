import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { currentRequest, type RequestContext } from '../telemetry/request-context.js';
import { Actor } from '../access/actor.js';
import { AuditedRequests } from './audited-request.js';
import { queryClient } from './pool-queries.js';
import { sentAhead, SET_LOCAL_REQUEST_SQL, SET_LOCAL_USER_SQL } from './pooled-client.js';
import { currentRowSecurityUser, runAsSystem } from './row-security.js';
import { askInOneStatement, sendInTurn, type Turns } from './statement-turns.js';

export interface Statement {
  text: string;
  values: unknown[];
  /** Called with its rows once the transaction has committed, of a statement that is sent with the commit. */
  onCommitted?: (rows: Record<string, unknown>[]) => void;
  /** Turns its failure into one that callers read, of a statement that is sent with the commit. */
  rethrow?: (error: unknown) => never;
}

interface OpenTransaction {
  manager: EntityManager;
  turns: Turns;
  /** In whose name it asks now. */
  user: string;
  beforeCommit: (() => Promise<void>)[];
  withCommit: (() => Statement[])[];
  afterCommit: (() => Promise<void> | void)[];
  /** Data that is collected until the deferred statements are built from it. */
  gathered: Map<object, unknown[]>;
}

/** What the server does without a request, such as at its start. */
const OWN_WORK: RequestContext = { requestId: '', actor: Actor.system('server') };

/**
 * The transaction of the current call chain. Callers inside `run` share it without passing it on; a caller that is
 * outside reads through the pool.
 */
@Injectable()
export class UnitOfWork {
  private readonly current = new AsyncLocalStorage<OpenTransaction | undefined>();
  private readonly logger = new Logger(UnitOfWork.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: AuditedRequests,
  ) {}

  /** The session to ask: the open transaction, else the pool. */
  get manager(): EntityManager {
    return this.current.getStore()?.manager ?? this.dataSource.manager;
  }

  get isOpen(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** Runs the work in a transaction: all of it is kept, or nothing. Inside another unit it is a part of that one. */
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
    };
    let result: T;
    try {
      await runner.startTransaction();
      const request = currentRequest() ?? OWN_WORK;
      await runner.query(SET_LOCAL_REQUEST_SQL, [this.requests.describe(request), request.organizationId ?? '']);
      result = await this.current.run(open, async () => {
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
      await runner.release();
    }
    for (const listener of open.afterCommit) await this.runListener(listener);
    return result;
  }

  /** Runs the work outside of any open transaction, for what must stay when that one is rolled back. */
  runOutside<T>(work: () => Promise<T>): Promise<T> {
    return this.current.run(undefined, work);
  }

  /**
   * Runs a part of the open transaction in the name of the system, where a rule needs to know or to do more than its caller
   * may; the row-level policies follow.
   */
  async runAsSystem<T>(reason: string, work: () => Promise<T>): Promise<T> {
    const open = this.current.getStore();
    if (!open) return runAsSystem(reason, work);
    const { user } = open;
    await this.setUser(open, 'system');
    let result: T;
    try {
      result = await work();
    } catch (error) {
      // After a failed statement the transaction takes no other, and its rollback resets the setting.
      await this.setUser(open, user).catch(() => undefined);
      throw error;
    }
    await this.setUser(open, user);
    return result;
  }

  /** Asks two things of the open transaction, the first in one statement; the second is asked in the same write, and answered after it. */
  async askTogether<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    const { turns } = this.requireOpen();
    turns.most = 2;
    try {
      const [one, other] = await Promise.allSettled([askInOneStatement(first), second()]);
      return [valueOf(one), valueOf(other)];
    } finally {
      turns.most = 1;
    }
  }

  /** Sends a constant statement whose answer nothing waits for: the next one, or the commit, fails with it. */
  async sendAhead(text: string, values: unknown[]): Promise<void> {
    await this.requireOpen().manager.query(sentAhead(text), values);
  }

  /** At the end of the open transaction; a failure there rolls it back. */
  beforeCommit(listener: () => Promise<void>): void {
    this.requireOpen().beforeCommit.push(listener);
  }

  /** The last statements of the open transaction, sent together with its commit; a failure there rolls it back. */
  withCommit(makeLast: () => Statement[]): void {
    this.requireOpen().withCommit.push(makeLast);
  }

  /** Gathers items of the open transaction; `makeLast` makes the statements of all of them, which are sent together with its commit. */
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

  /** Once the open transaction has committed; a failure there is logged and changes nothing. */
  afterCommit(listener: () => Promise<void> | void): void {
    this.requireOpen().afterCommit.push(listener);
  }

  private async setUser(open: OpenTransaction, user: string): Promise<void> {
    open.user = user;
    await open.manager.query(SET_LOCAL_USER_SQL, [user]);
  }

  private requireOpen(): OpenTransaction {
    const open = this.current.getStore();
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

/** Sends the last statements of a transaction and its commit in one write: what they lock is held for no round trip more. */
async function commitAfter(runner: QueryRunner, last: Statement[]): Promise<void> {
  const client = (await runner.connect()) as pg.PoolClient;
  const sent = last.map(({ text, values }) => queryClient(client, text, values));
  // The commit of a transaction in which a statement failed is its rollback.
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
