import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import type { Actor } from '../access/actor.js';
import { whenExpired } from '../access/token-expiry.js';
import { Authenticator } from '../access/authenticator.js';

/** Tracks streamed responses, which can outlive their token, and aborts them when it is revoked. */
@Injectable()
export class StreamedAnswers implements OnModuleInit, OnModuleDestroy {
  private readonly open = new Map<Response, Actor>();
  private stopListening: () => void = () => undefined;

  constructor(private readonly authenticator: Authenticator) {}

  onModuleInit(): void {
    this.stopListening = this.authenticator.onRevoked(({ userId, sessionId }) => {
      for (const [response, actor] of this.open)
        if (actor.userId === userId && (sessionId === null || actor.sessionId === sessionId)) response.destroy();
    });
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /** Aborts the response when its token is revoked or expires before the end. */
  add(response: Response, actor: Actor | undefined): void {
    if (!actor || response.destroyed) return;
    this.open.set(response, actor);
    const stopWaiting = whenExpired(actor, () => response.destroy());
    response.once('close', () => {
      stopWaiting();
      this.open.delete(response);
    });
  }
}
