import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Env } from '../core/config/env.js';
import { AppError } from '../core/errors/app-error.js';

const WINDOW_SECONDS = 900;

/** Slows guessing: so many failures for one account from one address within a quarter of an hour, and ten times as many for the account from everywhere. */
@Injectable()
export class SignInLimit {
  private readonly pair: RateLimiterMemory;
  private readonly account: RateLimiterMemory;

  constructor(private readonly env: Env) {
    this.pair = new RateLimiterMemory({ points: env.LIMIT_SIGN_IN_FAILURES, duration: WINDOW_SECONDS });
    this.account = new RateLimiterMemory({ points: env.LIMIT_SIGN_IN_FAILURES * 10, duration: WINDOW_SECONDS });
  }

  /** Counts an attempt as failed until it is said to have succeeded. @throws AppError 429 with Retry-After */
  async begin(email: string, address: string): Promise<{ succeeded(): Promise<void> }> {
    if (!this.env.RATE_LIMIT) return { succeeded: () => Promise.resolve() };
    const account = createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
    const pair = `${account} ${address}`;
    try {
      await this.pair.consume(pair);
      await this.account.consume(account);
    } catch (limited) {
      if (limited instanceof RateLimiterRes) throw tooMany(limited.msBeforeNext);
      throw limited;
    }
    return {
      succeeded: async () => {
        await this.pair.delete(pair);
        await this.account.reward(account);
      },
    };
  }
}

function tooMany(ms: number): AppError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return new AppError(429, 'TOO_MANY_ATTEMPTS', 'Too many attempts', 'too many failed sign-ins', {
    headers: { 'Retry-After': String(seconds) },
    remedy: `Try again in ${seconds} seconds.`,
  });
}
