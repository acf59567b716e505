import type { Logger } from '@nestjs/common';

const PERIOD_MS = 60_000;
/** Keys that are remembered; when there are more, the oldest is forgotten and logged again. */
const MAX_KEYS = 1_000;

interface Period {
  endsAt: number;
  omitted: number;
}

/** Logs warnings that repeat, such as those of retries while a mail server is away, once a minute each, with the number in between. */
export class RepeatLog {
  private readonly periods = new Map<string, Period>();

  constructor(private readonly logger: Pick<Logger, 'warn'>) {}

  /** @param key what makes warnings the same */
  warn(key: string, fields: object, text: string): void {
    const known = this.periods.get(key);
    if (known && performance.now() < known.endsAt) {
      known.omitted += 1;
      return;
    }
    this.periods.delete(key);
    for (const oldest of this.periods.keys()) {
      if (this.periods.size < MAX_KEYS) break;
      this.periods.delete(oldest);
    }
    this.periods.set(key, { endsAt: performance.now() + PERIOD_MS, omitted: 0 });
    this.logger.warn(known?.omitted ? { ...fields, omitted: known.omitted } : fields, text);
  }
}
