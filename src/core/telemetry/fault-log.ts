import type { Logger } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';

const PERIOD_MS = 60_000;
const MAX_PER_PERIOD = 30;

/**
 * Logs faults that callers may bring about as often as they like: some each minute, and how many more there were. Errors
 * with a name take one line; only unexpected ones have a stack.
 */
export class FaultLog {
  private periodEnd = 0;
  private count = 0;

  constructor(private readonly logger: Logger) {}

  log(error: unknown, text?: string): void {
    this.startPeriod();
    this.count += 1;
    if (this.count > MAX_PER_PERIOD) return;
    const cause = error instanceof AppError ? (error.cause ?? error) : error;
    if (cause instanceof AppError) this.logger.warn(text ? `${text}: ${cause.message}` : cause.message);
    else this.logger.error(cause, text);
  }

  private startPeriod(): void {
    if (Date.now() < this.periodEnd) return;
    if (this.count > MAX_PER_PERIOD) this.logger.warn(`${this.count - MAX_PER_PERIOD} more errors were not logged`);
    this.periodEnd = Date.now() + PERIOD_MS;
    this.count = 0;
  }
}
