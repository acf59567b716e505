import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { AppError } from '../../core/errors/app-error.js';
import { clientNetwork } from '../../core/rest/client-network.js';
import { normalizeEmail } from '../../core/schema/one-line-text.js';
import { type Attempt, AttemptsStore } from './attempts.store.js';

const WINDOW_SECONDS = 900;

/**
 * Limits the attempts for one account per quarter of an hour: from one network, and from all networks from which the account has
 * not signed in recently. This slows guesses from many addresses without locking out the owner.
 */
abstract class AttemptLimiter {
  private readonly key: Buffer;

  protected constructor(
    private readonly attempts: AttemptsStore,
    private readonly env: Env,
    private readonly limits: { fromOneNetwork: number; fromEverywhere: number },
    private readonly subject: string,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', env.ENCRYPTION_KEY ?? Buffer.alloc(32), '', 'attempts', 32));
  }

  /** Counts an attempt as failed until it is reported to have succeeded. @throws AppError 429 with Retry-After */
  async begin(email: string, address: string): Promise<{ succeeded(): Promise<void> }> {
    if (!this.env.RATE_LIMIT) return { succeeded: () => Promise.resolve() };
    const [account, network] = [normalizeEmail(email), clientNetwork(address)];
    const attempt: Attempt = {
      pair: this.hash('pair', account, network),
      mostOfPair: this.limits.fromOneNetwork,
      others: [this.hash('account', account), this.hash('network', network)],
      mostOfOthers: this.limits.fromEverywhere,
    };
    const wait = await this.attempts.count(attempt, WINDOW_SECONDS);
    if (wait !== null) throw this.tooManyAttempts(wait);
    return { succeeded: () => this.attempts.recordSuccess(attempt) };
  }

  private hash(...of: string[]): Buffer {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([this.subject, ...of]))
      .digest();
  }

  private tooManyAttempts(ms: number): AppError {
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    return new AppError(429, 'TOO_MANY_ATTEMPTS', 'Too many attempts', `too many ${this.subject}`, {
      headers: { 'Retry-After': String(seconds) },
      remedy: `Try again in ${seconds} seconds, or from an address that you signed in from before. Open sessions stay valid.`,
    });
  }
}

/** Limits password guessing. */
@Injectable()
export class SignInLimiter extends AttemptLimiter {
  constructor(attempts: AttemptsStore, env: Env) {
    const most = env.LIMIT_SIGN_IN_FAILURES;
    super(attempts, env, { fromOneNetwork: most, fromEverywhere: most * 10 }, 'failed sign-ins');
  }
}

/** Limits the number of emails that unauthenticated callers can cause to be sent to an address. */
@Injectable()
export class PasswordResetLimiter extends AttemptLimiter {
  constructor(attempts: AttemptsStore, env: Env) {
    super(attempts, env, { fromOneNetwork: 3, fromEverywhere: 5 }, 'emails for a forgotten password');
  }
}
