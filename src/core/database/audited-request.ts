import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import type { RequestContext } from '../telemetry/request-context.js';

/** What the audit is told of the request that a transaction works for. */
export interface AuditedRequest {
  request: string;
  via?: string;
  /** Whom the token stands for, and the token. */
  caller?: string;
  token?: string;
  /** What the system does it for, when no caller does. */
  system?: string;
  onBehalfOf?: string;
  address?: string;
  agent?: string;
  /** The operation that is called. */
  operation?: string;
}

/** Characters of base64url, of 128 bits. */
const SIGNATURE_LENGTH = 22;

/**
 * Tells the audit for which request a transaction works, signed with a key that is not in the database: with the password of the
 * database alone nobody writes in the name of somebody else.
 */
@Injectable()
export class AuditedRequests {
  private readonly described = new WeakMap<object, { key: string; text: string }>();
  private readonly keys: Buffer[];

  constructor({ ENCRYPTION_KEY, ENCRYPTION_PREVIOUS_KEYS }: Env) {
    this.keys = [ENCRYPTION_KEY ?? Buffer.alloc(32), ...ENCRYPTION_PREVIOUS_KEYS].map((key) =>
      Buffer.from(hkdfSync('sha256', key, '', 'audited requests', 32)),
    );
  }

  /** The signature of the request, and the request as JSON; undefined values are left out. */
  describe(context: RequestContext): string {
    const { caller, actor, origin, onBehalfOf, operation } = context;
    const key = `${caller?.userId} ${caller?.sessionId} ${actor?.name} ${operation}`;
    const kept = this.described.get(context);
    if (kept?.key === key) return kept.text;
    const audited: AuditedRequest = {
      request: context.requestId,
      via: origin?.via,
      caller: caller?.userId ?? undefined,
      token: caller?.sessionId ?? undefined,
      system: !caller && actor?.isSystem ? actor.name : undefined,
      onBehalfOf: caller ? undefined : onBehalfOf,
      address: origin?.address,
      agent: origin?.userAgent,
      operation,
    };
    const json = JSON.stringify(audited).replaceAll('\\u0000', '');
    const text = `${sign(this.keys[0] as Buffer, json)} ${json}`;
    this.described.set(context, { key, text });
    return text;
  }

  /** @returns the request; null when no server of this installation has signed it */
  read(text: string): AuditedRequest | null {
    const signature = Buffer.from(text.slice(0, SIGNATURE_LENGTH));
    const json = text.slice(SIGNATURE_LENGTH + 1);
    const isSigned = this.keys.some((key) => {
      const expected = Buffer.from(sign(key, json));
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    });
    return isSigned ? (JSON.parse(json) as AuditedRequest) : null;
  }
}

const sign = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url').slice(0, SIGNATURE_LENGTH);
