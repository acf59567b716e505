import type { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';

type Reply = (response: Response, body: unknown, status?: number) => unknown;

/**
 * Replaces `reply` of the HTTP adapter of NestJS 12, which it calls with what a handler returns. An interceptor, the
 * alternative, costs every route an observable. Not for speed alone: every response is written by it.
 */
export function wrapReply({ httpAdapter }: HttpAdapterHost, wrap: (reply: Reply) => Reply): void {
  httpAdapter.reply = wrap(httpAdapter.reply.bind(httpAdapter) as Reply);
}
