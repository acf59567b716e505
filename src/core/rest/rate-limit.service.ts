import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Actor } from '../access/actor.js';
import type { AuthenticatedCaller } from '../access/access.decorators.js';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { clientNetwork } from './client-network.js';

/** How often one caller may call in a minute; every answer tells what is left in the `RateLimit` headers. */
@Injectable()
export class RateLimitService {
  private readonly all: RateLimiterMemory;
  private readonly writes: RateLimiterMemory;

  constructor(private readonly env: Env) {
    this.all = new RateLimiterMemory({ points: env.LIMIT_REQUESTS_PER_MINUTE, duration: 60 });
    this.writes = new RateLimiterMemory({ points: env.LIMIT_WRITES_PER_MINUTE, duration: 60 });
  }

  /** @throws AppError 429 with Retry-After */
  async consume(request: Request & AuthenticatedCaller, response: Response): Promise<void> {
    if (!this.env.RATE_LIMIT) return;
    const caller = request.actor?.userId ?? clientNetwork(request.ip);
    await this.consumePoint(this.all, caller, response);
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isGraphql(request))
      await this.consumePoint(this.writes, caller, response);
  }

  /** Counts an operation that came over a socket. @throws AppError 429 */
  async consumeOperation(actor: Actor): Promise<void> {
    if (this.env.RATE_LIMIT) await this.consumePoint(this.all, actor.userId ?? actor.name);
  }

  private async consumePoint(limiter: RateLimiterMemory, caller: string, response?: Response): Promise<void> {
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
    throw new AppError(429, 'RATE_LIMITED', 'Too many requests', `more than ${limiter.points} requests in a minute`, {
      headers: { 'Retry-After': String(seconds) },
      remedy: `Wait ${seconds} seconds.`,
    });
  }
}

const isGraphql = (request: Request): boolean => request.path.startsWith('/api/system/graphql');
