import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import { NotFound, type AppError } from '../errors/app-error.js';
import { currentRequest, type RequestContext } from '../telemetry/request-context.js';

/** A call that was refused. */
export interface Refusal {
  error: AppError;
  request: RequestContext;
  /** The operation that was called, or the route. */
  operation: string;
  /** Ids of records that the call names. */
  ids: string[];
  /** The e-mail address of an attempted sign-in, as it was sent. */
  account?: string;
}

const REFUSING = new Set([401, 403, 409, 429]);

/** Notifies listeners of every refused call, over every transport. */
@Injectable()
export class Refusals {
  private readonly listeners: ((refusal: Refusal) => void)[] = [];

  onRefused(listener: (refusal: Refusal) => void): void {
    this.listeners.push(listener);
  }

  /** Accepts every error that ends a call and ignores those that are not refusals. Never throws. */
  report(error: AppError, { operation, ids = [], account }: Partial<Omit<Refusal, 'error' | 'request'>> = {}): void {
    const request = currentRequest();
    if (!request || !isRefusal(error)) return;
    // The record may be invisible to the caller, so add the requested id.
    const named = error instanceof NotFound && validate(error.id) ? [...ids, error.id.toLowerCase()] : ids;
    const refusal = { error, request, operation: operation ?? request.operation ?? 'unknown', ids: named, account };
    for (const listener of this.listeners) listener(refusal);
  }
}

/**
 * A missing or invalid token, a missing permission, a record that the caller may not see, a forbidden state, or an
 * exceeded limit.
 */
const isRefusal = (error: AppError): boolean => REFUSING.has(error.status) || error instanceof NotFound;
