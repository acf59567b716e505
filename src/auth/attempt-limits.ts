import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Env } from '../core/config/env.js';
import { AppError } from '../core/errors/app-error.js';

const WINDOW_SECONDS = 900;

/** How often something may be tried for one account within a quarter of an hour: from one address, and from everywhere. */
abstract class AttemptLimit {
  private readonly pair: RateLimiterMemory;
  private readonly account: RateLimiterMemory;
  protected abstract readonly what: string;

  protected constructor(
    private readonly on: boolean,
    fromOneAddress: number,
    fromEverywhere: number,
  ) {
    this.pair = new RateLimiterMemory({ points: fromOneAddress, duration: WINDOW_SECONDS });
    this.account = new RateLimiterMemory({ points: fromEverywhere, duration: WINDOW_SECONDS });
  }

  /** Counts an attempt as failed until it is said to have succeeded. @throws AppError 429 with Retry-After */
  async begin(email: string, address: string): Promise<{ succeeded(): Promise<void> }> {
    if (!this.on) return { succeeded: () => Promise.resolve() };
    const account = createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
    const pair = `${account} ${address}`;
    try {
      await this.pair.consume(pair);
      await this.account.consume(account);
    } catch (limited) {
      if (limited instanceof RateLimiterRes) throw this.tooMany(limited.msBeforeNext);
      throw limited;
    }
    return {
      succeeded: async () => {
        await this.pair.delete(pair);
        await this.account.reward(account);
      },
    };
  }

  private tooMany(ms: number): AppError {
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    return new AppError(429, 'TOO_MANY_ATTEMPTS', 'Too many attempts', `too many ${this.what}`, {
      headers: { 'Retry-After': String(seconds) },
      remedy: `Try again in ${seconds} seconds.`,
    });
  }
}

/** Slows the guessing of passwords. */
@Injectable()
export class SignInLimit extends AttemptLimit {
  protected readonly what = 'failed sign-ins';

  constructor(env: Env) {
    super(env.RATE_LIMIT, env.LIMIT_SIGN_IN_FAILURES, env.LIMIT_SIGN_IN_FAILURES * 10);
  }
}

/** Keeps strangers from filling somebody's letter box. */
@Injectable()
export class ForgottenLimit extends AttemptLimit {
  protected readonly what = 'letters for a forgotten password';

  constructor(env: Env) {
    super(env.RATE_LIMIT, 3, 5);
  }
}
