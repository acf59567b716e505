import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Actor } from '../access/actor.js';
import type { AuthenticatedCaller } from '../access/access.decorators.js';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { limitRemedy } from '../errors/limit-remedy.js';
import { clientNetwork } from './client-network.js';

type RateSetting = 'LIMIT_REQUESTS_PER_MINUTE' | 'LIMIT_WRITES_PER_MINUTE';

/** The maximum number of invalid tokens per network and minute. */
const MAX_FAILED_TOKENS = 120;

/** Limits the requests of a caller per minute; the `RateLimit` headers of every response show the remainder. */
@Injectable()
export class RateLimitService {
  private readonly limiters: Readonly<Record<RateSetting, RateLimiterMemory>>;
  private readonly failedTokens = new RateLimiterMemory({ points: MAX_FAILED_TOKENS, duration: 60 });

  constructor(private readonly env: Env) {
    const limiter = (setting: RateSetting): RateLimiterMemory =>
      new RateLimiterMemory({ points: env[setting], duration: 60 });
    this.limiters = {
      LIMIT_REQUESTS_PER_MINUTE: limiter('LIMIT_REQUESTS_PER_MINUTE'),
      LIMIT_WRITES_PER_MINUTE: limiter('LIMIT_WRITES_PER_MINUTE'),
    };
  }

  /** Counts a request. @returns undefined when rate limits are off @throws AppError 429 with Retry-After */
  consume(request: Request & AuthenticatedCaller, response: Response): Promise<void> | undefined {
    return this.env.RATE_LIMIT ? this.consumeRequest(request, response) : undefined;
  }

  private async consumeRequest(request: Request & AuthenticatedCaller, response: Response): Promise<void> {
    const caller = request.actor?.userId ?? clientNetwork(request.ip);
    await this.consumePoint('LIMIT_REQUESTS_PER_MINUTE', caller, response);
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isGraphql(request))
      await this.consumePoint('LIMIT_WRITES_PER_MINUTE', caller, response);
  }

  /** Counts an operation over a socket. @throws AppError 429 */
  async consumeOperation(actor: Actor): Promise<void> {
    if (this.env.RATE_LIMIT) await this.consumePoint('LIMIT_REQUESTS_PER_MINUTE', actor.userId ?? actor.name);
  }

  /** Counts the handshake of a socket, before authentication. @throws AppError 429 */
  async consumeHandshake(network: string): Promise<void> {
    if (this.env.RATE_LIMIT) await this.consumePoint('LIMIT_REQUESTS_PER_MINUTE', network);
  }

  /**
   * Counts a token as invalid before it is verified.
   * @returns a function that reverts the count
   * @throws AppError 429
   */
  async consumeToken(network: string): Promise<() => Promise<unknown>> {
    if (!this.env.RATE_LIMIT) return () => Promise.resolve();
    await this.consumePoint('failed tokens', network);
    return () => this.failedTokens.reward(network);
  }

  private async consumePoint(
    setting: RateSetting | 'failed tokens',
    caller: string,
    response?: Response,
  ): Promise<void> {
    const failedTokens = setting === 'failed tokens';
    const limiter = failedTokens ? this.failedTokens : this.limiters[setting];
    const taken = await limiter.consume(caller).catch((limited: unknown) => {
      if (limited instanceof RateLimiterRes) return limited;
      throw limited;
    });
    const seconds = Math.max(1, Math.ceil(taken.msBeforeNext / 1000));
    response?.setHeader('RateLimit-Policy', `${limiter.points};w=60`);
    response?.setHeader('RateLimit-Limit', limiter.points);
    response?.setHeader('RateLimit-Remaining', Math.max(0, taken.remainingPoints));
    response?.setHeader('RateLimit-Reset', seconds);
    if (taken.consumedPoints <= limiter.points) return;
    throw new AppError(
      429,
      'RATE_LIMITED',
      'Too many requests',
      `more than ${limiter.points} ${failedTokens ? 'tokens that are not valid' : 'requests'} in a minute`,
      {
        // Pipelined requests would be rejected as well.
        headers: { 'Retry-After': String(seconds), Connection: 'close' },
        remedy: failedTokens ? `Wait ${seconds} seconds.` : limitRemedy(`Wait ${seconds} seconds.`, setting),
      },
    );
  }
}

const isGraphql = (request: Request): boolean => request.path.startsWith('/api/system/graphql');
