import type { Logger } from '@nestjs/common';
import { AppError, truncate } from '../errors/app-error.js';

const PERIOD_MS = 60_000;
const MAX_PER_PERIOD = 30;
const MAX_LINE_LENGTH = 2_000;
/** The status of unexpected errors. */
const UNEXPECTED = 500;

/**
 * Logs errors that callers can trigger at will, with a maximum per minute, and the number of those above it.
 * Application errors are logged as one line, even with a cause; only unexpected errors have a stack trace.
 */
export class FaultLog {
  private periodEnd = 0;
  private count = 0;

  constructor(private readonly logger: Logger) {}

  log(error: unknown, text?: string): void {
    this.startPeriod();
    this.count += 1;
    if (this.count > MAX_PER_PERIOD) return;
    const fault = error instanceof AppError && error.status === UNEXPECTED ? (error.cause ?? error) : error;
    if (fault instanceof AppError) this.logger.warn(toLine(fault, text));
    else this.logger.error(fault, text);
  }

  private startPeriod(): void {
    if (Date.now() < this.periodEnd) return;
    if (this.count > MAX_PER_PERIOD) this.logger.warn(`${this.count - MAX_PER_PERIOD} more errors were not logged`);
    this.periodEnd = Date.now() + PERIOD_MS;
    this.count = 0;
  }
}

function toLine({ message, cause }: AppError, text?: string): string {
  const reason = cause instanceof Error && !message.includes(cause.message) ? ` (${cause.message})` : '';
  const line = `${text ? `${text}: ` : ''}${message}${reason}`;
  return truncate(line.replace(/\s+/g, ' '), MAX_LINE_LENGTH);
}
