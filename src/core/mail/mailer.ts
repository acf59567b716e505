import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { Env } from '../config/env.js';
import { Metrics } from '../telemetry/metrics.service.js';
import { assertOutsideTransaction } from '../database/open-transaction.js';

/** A plain text mail, optionally with an HTML version. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** The same for all attempts, so that a server can recognize duplicates. */
  messageId?: string;
  /** The URL of one-click unsubscription by POST (RFC 8058). */
  unsubscribeUrl?: string;
}

/** The timeout of the connection and of the server's greeting. */
const TIMEOUT_MS = 10_000;
/**
 * The timeout of the response to a mail: servers may scan it for ten minutes (RFC 5321, 4.5.3.2.6). Disconnecting
 * earlier causes a retry and a duplicate.
 */
const ANSWER_MS = 10 * 60_000;
const REFUSED_FOR_GOOD = 500;

/** Sends mail through the server of SMTP_URL, from MAIL_FROM. */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  /** The deadline from connecting to the last response, against slow servers. */
  deadlineMs = ANSWER_MS;
  /** Created with the first mail. */
  private transport?: Promise<Transporter>;

  constructor(
    private readonly env: Env,
    private readonly metrics: Metrics,
  ) {}

  /** Reports whether this installation sends mail. */
  get isConfigured(): boolean {
    return Boolean(this.env.SMTP_URL);
  }

  /** Generates the `Message-ID` of a mail; the same id gives the same `Message-ID`. */
  generateMessageId(id: string = randomUUID()): string {
    return `<${id}@${/@([\w.-]+)/.exec(this.env.MAIL_FROM ?? '')?.[1] ?? 'localhost'}>`;
  }

  /** @throws Error when no mail server is configured, or it rejects the mail */
  async send({ to, subject, unsubscribeUrl, ...mail }: Mail): Promise<void> {
    assertOutsideTransaction('a mail');
    if (!this.env.SMTP_URL) throw new Error('SMTP_URL is not set');
    this.transport ??= createTransport(this.env.SMTP_URL);
    const transport = await this.transport;
    const message = {
      ...mail,
      from: this.env.MAIL_FROM,
      // nodemailer takes an object as a single address, whatever characters it contains.
      to: { name: '', address: to },
      subject: toSingleLine(subject),
      signal: AbortSignal.timeout(this.deadlineMs),
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribeUrl
          ? {
              'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }
          : {}),
      },
    };
    await transport.sendMail(message).catch((error: unknown) => {
      this.metrics.mails.inc({ outcome: isRefusedForGood(error) ? 'refused' : 'failed' });
      throw error;
    });
    this.metrics.mails.inc({ outcome: 'sent' });
  }

  async onApplicationShutdown(): Promise<void> {
    (await this.transport)?.close();
  }
}

async function createTransport(url: string): Promise<Transporter> {
  const { default: nodemailer } = await import('nodemailer');
  return nodemailer.createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Reports whether the mail server rejected the mail or its recipient permanently, so that a retry is useless. */
export function isRefusedForGood(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string };
  return responseCode >= REFUSED_FOR_GOOD && ['RCPT TO', 'DATA'].includes(command);
}

/** Prepares user text, such as names, for a mail: one line, without characters that change the writing direction. */
export const toSingleLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .toWellFormed();
