import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Env } from '../config/env.js';
import { DrainState } from './lifecycle.module.js';
import type { HttpListener } from './http-listener.js';
import type { ProcessLog } from '../telemetry/process-log.js';
import type { Watchdog } from './watchdog.js';

/** The longest time from the stop signal to the end of the process. */
const MAX_SHUTDOWN_MS = 25_000;
/** Requests still running after this time are aborted. */
const MAX_REQUEST_DRAIN_MS = 20_000;
/** After this time the shutdown goes on although the application is not closed, so that the database is stopped in time. */
export const MAX_DRAIN_MS = 21_000;
/** A terminal signals the whole process group, and npm forwards the signal: a second signal within this time is a duplicate. */
const REPEATED_SIGNAL_MS = 1_000;
const PARENT_POLL_MS = 500;

/** Stops the process in order on a stop signal, in any phase. */
export class Shutdown {
  private readonly steps: { run: () => Promise<unknown>; limitMs: number }[] = [];
  private readonly preparations: (() => Promise<unknown>)[] = [];
  private begunAt: number | null = null;

  constructor(
    private readonly log: ProcessLog,
    private readonly watchdog: Watchdog,
  ) {}

  listen(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      // Until now the default handler ended the process.
      process.removeAllListeners(signal);
      process.on(signal, () => this.handleSignal(signal));
    }
    if (process.env['npm_lifecycle_event'] === 'start') this.watchParentProcess();
  }

  get hasBegun(): boolean {
    return this.begunAt !== null;
  }

  /** The time that is left until the process is killed. */
  get remainingMs(): number {
    return this.begunAt === null ? MAX_SHUTDOWN_MS : MAX_SHUTDOWN_MS - (performance.now() - this.begunAt);
  }

  /**
   * Adds a step of the shutdown; steps run in reverse order.
   * @param limitMs after the stop signal, when the next step begins although this one has not ended
   */
  addStep(run: () => Promise<unknown>, limitMs = MAX_SHUTDOWN_MS): void {
    this.steps.unshift({ run, limitMs });
  }

  /** Adds what is done as soon as the stop signal comes, and is not waited for. */
  addPreparation(preparation: () => Promise<unknown>): void {
    this.preparations.push(preparation);
  }

  /** Runs the steps of the shutdown. @returns whether all of them succeeded */
  async runSteps(): Promise<boolean> {
    let succeeded = true;
    for (const { run, limitMs } of this.steps.splice(0))
      await this.withinLimit(run(), limitMs).catch((error: unknown) => {
        succeeded = false;
        this.log.error(`A step of the shutdown failed: ${String(error)}`);
      });
    return succeeded;
  }

  private async withinLimit(step: Promise<unknown>, limitMs: number): Promise<void> {
    if (this.begunAt === null) return void (await step);
    const late = new AbortController();
    const left = limitMs - (performance.now() - this.begunAt);
    const tooLate = sleep(Math.max(0, left), undefined, { signal: late.signal }).then(() => {
      throw new Error(`it did not end within ${limitMs / 1000} s`);
    });
    try {
      await Promise.race([step, tooLate]);
    } finally {
      late.abort();
    }
  }

  private handleSignal(reason: string): void {
    if (this.begunAt === null) return void this.begin(reason);
    if (performance.now() - this.begunAt < REPEATED_SIGNAL_MS) return;
    this.log.warn(`Asked to stop a second time (${reason}): the process ends at once.`);
    process.exit(1);
  }

  private async begin(reason: string): Promise<void> {
    this.begunAt = performance.now();
    this.watchdog.killAfter(MAX_SHUTDOWN_MS);
    this.log.info(`Stopping (${reason}).`);
    for (const prepare of this.preparations) void prepare().catch((error: unknown) => this.log.warn(String(error)));
    const succeeded = await this.runSteps();
    this.log.info(`Stopped after ${((performance.now() - this.begunAt) / 1000).toFixed(1)} s.`);
    process.exit(succeeded ? 0 : 1);
  }

  /** npm cannot notify its child when it is killed. */
  private watchParentProcess(): void {
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      if (this.begunAt === null) this.handleSignal('npm has ended');
    }, PARENT_POLL_MS).unref();
  }
}

/** Waits for load balancers to route requests elsewhere, finishes running requests, and closes the application. */
export async function drainApplication(app: NestExpressApplication, listener: HttpListener, env: Env): Promise<void> {
  const logger = new Logger('Shutdown');
  const delay = env.shutdownDelayMs;
  app.get(DrainState).begin();
  listener.disableKeepAlive();
  logger.log(`readiness is 503; requests are still served for ${delay / 1000} s`);
  await sleep(delay);
  logger.log(`no new connections are accepted; ${listener.activeRequests} requests are in progress`);
  listener.close(MAX_REQUEST_DRAIN_MS - delay);
  await app.close();
  logger.log('all requests have been answered, and the database connections are closed');
}
