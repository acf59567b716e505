import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { runAsSystem } from './row-security.js';

interface OpenTransaction {
  manager: EntityManager;
  beforeCommit: (() => Promise<void>)[];
  afterCommit: (() => Promise<void> | void)[];
}

/**
 * The transaction of the current call chain. Whoever is inside `run` shares it without passing it on; whoever is
 * outside reads through the pool.
 */
@Injectable()
export class UnitOfWork {
  private readonly current = new AsyncLocalStorage<OpenTransaction | undefined>();
  private readonly logger = new Logger(UnitOfWork.name);

  constructor(private readonly dataSource: DataSource) {}

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
    forbidConcurrentStatements(runner);
    const open: OpenTransaction = { manager: runner.manager, beforeCommit: [], afterCommit: [] };
    let result: T;
    try {
      await runner.startTransaction();
      result = await this.current.run(open, async () => {
        const done = await work();
        for (const last of open.beforeCommit) await last();
        return done;
      });
      await runner.commitTransaction();
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
    if (!this.isOpen) return runAsSystem(reason, work);
    const setting = `SELECT set_config('armature.user', $1, true)`;
    const [{ before } = { before: '' }] = await this.manager.query<{ before: string }[]>(
      `SELECT current_setting('armature.user', true) AS before`,
    );
    await this.manager.query(setting, ['system']);
    const result = await work();
    await this.manager.query(setting, [before]);
    return result;
  }

  /** As the last statements of the open transaction; a failure there rolls it back. */
  beforeCommit(last: () => Promise<void>): void {
    this.requireOpen().beforeCommit.push(last);
  }

  /** Once the open transaction has committed; a failure there is logged and changes nothing. */
  afterCommit(listener: () => Promise<void> | void): void {
    this.requireOpen().afterCommit.push(listener);
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

/** Two statements at once on one connection would run in an order nobody chose: that is a fault of ours, said at once. */
function forbidConcurrentStatements(runner: QueryRunner): void {
  const query = runner.query.bind(runner);
  let running = false;
  runner.query = async (...args: Parameters<QueryRunner['query']>): Promise<never> => {
    if (running) throw new Error('two statements at once inside one unit of work; await them one after another');
    running = true;
    try {
      return (await query(...args)) as never;
    } finally {
      running = false;
    }
  };
}
