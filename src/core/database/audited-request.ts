import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import type { RequestContext } from '../telemetry/request-context.js';

/** The request that a transaction belongs to, as the audit records it. */
export interface AuditedRequest {
  request: string;
  via?: string;
  /** The id of the token's user, and the token. */
  caller?: string;
  token?: string;
  /** The reason of the system, when it acts without a caller. */
  system?: string;
  onBehalfOf?: string;
  address?: string;
  agent?: string;
  /** The name of the called operation. */
  operation?: string;
}

/** Characters of base64url for 128 bits. */
const SIGNATURE_LENGTH = 22;

/**
 * Signs the request of a transaction for the audit with a key that is not in the database. Database credentials
 * alone therefore do not suffice to write audit entries for another user.
 */
@Injectable()
export class AuditedRequests {
  private readonly key: Buffer;
  /** The signing keys: the current one first, then the previous ones. */
  private readonly keys: Buffer[];

  /** @throws Error without ENCRYPTION_KEY */
  constructor({ ENCRYPTION_KEY, ENCRYPTION_PREVIOUS_KEYS }: Env) {
    if (!ENCRYPTION_KEY) throw new Error('ENCRYPTION_KEY is not set');
    this.key = deriveKey(ENCRYPTION_KEY);
    this.keys = [this.key, ...ENCRYPTION_PREVIOUS_KEYS.map(deriveKey)];
  }

  /** Returns the signature and the request as JSON, without undefined values. */
  describe(context: RequestContext): string {
    const { caller, actor, origin, onBehalfOf, operation } = context;
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
    // The database has no text with this character. A backslash that stands before such letters is written as two.
    const json = JSON.stringify(audited).replaceAll(/\\(?:u0000|.)/g, (escape) => (escape === '\\u0000' ? '' : escape));
    return `${sign(this.key, json)} ${json}`;
  }

  /** Verifies and parses a signed request. @returns null unless a server of this installation signed it and it can be parsed */
  read(text: string): AuditedRequest | null {
    const signature = Buffer.from(text.slice(0, SIGNATURE_LENGTH));
    const json = text.slice(SIGNATURE_LENGTH + 1);
    const isSigned = this.keys.some((key) => {
      const expected = Buffer.from(sign(key, json));
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    });
    return isSigned ? parse(json) : null;
  }
}

/** A text that cannot be read keeps nothing that was written for other requests from being sealed. */
function parse(json: string): AuditedRequest | null {
  try {
    return JSON.parse(json) as AuditedRequest;
  } catch {
    return null;
  }
}

const deriveKey = (key: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, '', 'audited requests', 32));

const sign = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url').slice(0, SIGNATURE_LENGTH);
