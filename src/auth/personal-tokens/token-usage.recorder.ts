import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { PersonalTokensStore } from './personal-tokens.store.js';

const INTERVAL_MS = 60_000;
const MAX_REMEMBERED = 20_000;

/** Records the last use of tokens, at most once per minute for each, without delaying the request. */
@Injectable()
export class TokenUsageRecorder {
  private readonly logger = new Logger(TokenUsageRecorder.name);
  private readonly written = new Map<string, number>();

  constructor(
    private readonly tokens: PersonalTokensStore,
    private readonly unit: UnitOfWork,
  ) {}

  record(tokenId: string): void {
    const now = Date.now();
    if (now - (this.written.get(tokenId) ?? 0) < INTERVAL_MS) return;
    if (this.written.size >= MAX_REMEMBERED) this.written.clear();
    this.written.set(tokenId, now);
    this.unit
      .runOutside(() => this.unit.runAsSystem('use of a token', () => this.tokens.touch(tokenId)))
      .catch((error: unknown) => this.logger.debug(`the use of a token was not written: ${String(error)}`));
  }
}
