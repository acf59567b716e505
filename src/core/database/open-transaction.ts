import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';
import type { Turns } from './statement-turns.js';

export interface Statement {
  text: string;
  values: unknown[];
  /** Called with the rows of a statement sent with the commit, after the commit. */
  onCommitted?: (rows: Record<string, unknown>[]) => void;
  /** Maps the error of a statement sent with the commit to an error for callers. */
  rethrow?: (error: unknown) => never;
}

export interface OpenTransaction {
  manager: EntityManager;
  turns: Turns;
  /** The user that the row-level security policies currently apply to. */
  user: string;
  beforeCommit: (() => Promise<void>)[];
  withCommit: (() => Statement[])[];
  afterCommit: (() => Promise<void> | void)[];
  /** Items from which statements are built at the commit. */
  gathered: Map<object, unknown[]>;
  /** Whether it has released its connection. What it started may still run in its asynchronous context. */
  isOver: boolean;
}

/** The transaction of the current asynchronous context. */
export const openTransaction = new AsyncLocalStorage<OpenTransaction | undefined>();

/** The maximum number of different faults that are logged. */
const MAX_LOGGED = 100;

const refuse = (fault: Error): void => {
  throw fault;
};
let report = refuse;

/**
 * From now on, work inside a transaction that must not run there is logged, each kind of it once, and runs: in
 * production a connection that is held for too long is better than a request that always fails.
 *
 * @returns ends the tolerance
 */
export function tolerateWorkInTransactions(log: (fault: Error) => void): () => void {
  const logged = new Set<string>();
  report = (fault) => {
    if (logged.has(fault.message) || logged.size >= MAX_LOGGED) return;
    logged.add(fault.message);
    log(fault);
  };
  return () => {
    report = refuse;
  };
}

/**
 * Called before work whose time a caller or another party decides: a transaction that waited for it would keep its
 * database connection and its locks from everybody else.
 *
 * @param work as a noun, such as `a request to a cluster`
 * @throws Error inside a transaction, except in production
 */
export function assertOutsideTransaction(work: string): void {
  if (openTransaction.getStore()?.isOver === false)
    report(new Error(`${work} must not run inside a transaction: do it before, or after the commit`));
}
