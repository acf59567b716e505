import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { Env } from '../config/env.js';
import { Metrics } from '../telemetry/metrics.service.js';

/** A mail in plain text, optionally with an HTML version. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** Stays the same over all attempts to send an email, so that a server that received it twice can recognize it. */
  messageId?: string;
  /** Where the reader unsubscribes without signing in, by a POST (RFC 8058). */
  unsubscribeUrl?: string;
}

/** For the connection, and for the first word of the server. */
const TIMEOUT_MS = 10_000;
/**
 * A server answers a letter once it has looked through it, which may take ten minutes (RFC 5321, 4.5.3.2.6). Who hangs up before sends it
 * again, and the reader has it twice.
 */
const ANSWER_MS = 10 * 60_000;
const REFUSED_FOR_GOOD = 500;

/** The one way to send mail: through the server of SMTP_URL, from MAIL_FROM. */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  /** From the connection to the last answer, however slowly a server talks. */
  deadlineMs = ANSWER_MS;
  /** Made with the first letter. */
  private transport?: Promise<Transporter>;

  constructor(
    private readonly env: Env,
    private readonly metrics: Metrics,
  ) {}

  /** Whether this installation sends mail at all. */
  get isConfigured(): boolean {
    return Boolean(this.env.SMTP_URL);
  }

  /** The `Message-ID` of a letter: the same for every attempt that is given the same id. */
  generateMessageId(id: string = randomUUID()): string {
    return `<${id}@${/@([\w.-]+)/.exec(this.env.MAIL_FROM ?? '')?.[1] ?? 'localhost'}>`;
  }

  /** @throws Error when the mail server does not take it, or none is configured */
  async send({ to, subject, unsubscribeUrl, ...mail }: Mail): Promise<void> {
    if (!this.env.SMTP_URL) throw new Error('SMTP_URL is not set');
    this.transport ??= createTransport(this.env.SMTP_URL);
    const transport = await this.transport;
    const letter = {
      ...mail,
      from: this.env.MAIL_FROM,
      // An object is taken as a single address, whatever characters it contains.
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
    await transport.sendMail(letter).catch((error: unknown) => {
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

/** Whether the mail server refused this letter or its reader, so that sending it again makes no sense. */
export function isRefusedForGood(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string };
  return responseCode >= REFUSED_FOR_GOOD && ['RCPT TO', 'DATA'].includes(command);
}

/** What users write, such as names, as a part of a letter: on one line, and without characters that turn the direction of writing. */
export const toSingleLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .toWellFormed();
