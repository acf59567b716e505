import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { Env } from '../config/env.js';
import { Metrics } from '../telemetry/metrics.service.js';
import { assertOutsideTransaction } from '../database/open-transaction.js';
import { RemoteFailure } from '../errors/app-error.js';

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
const MAX_REASON_LENGTH = 300;

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

  /** @throws MailNotSent when the mail server rejects the mail, or cannot be reached */
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
    await transport.sendMail(message).catch((cause: unknown) => {
      const error = new MailNotSent(to, cause);
      this.metrics.mails.inc({ outcome: error.isFinal ? 'refused' : 'failed' });
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
    ...(sendsPassword(url) ? { requireTLS: true } : {}),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Whether the URL has a password that must not be sent without TLS: `?requireTLS=false` allows that. */
function sendsPassword(url: string): boolean {
  const { protocol, username, password, searchParams } = new URL(url);
  return protocol === 'smtp:' && Boolean(username || password) && searchParams.get('requireTLS') !== 'false';
}

/** The parts of an error of nodemailer. */
interface SmtpError {
  message?: string;
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/** The mail server rejected a mail, or cannot be reached. The message is for the log. */
export class MailNotSent extends RemoteFailure {
  /** Whether the mail or its recipient was rejected permanently, so that a retry is useless. */
  readonly isFinal: boolean;
  /** What the server said about this mail, for the sender: nothing about the server itself, and no other address. */
  readonly reason: string;

  constructor(to: string, cause: unknown) {
    const { message = '', code, command = '', response = '', responseCode = 0 } = cause as SmtpError;
    const detail = code === 'ETLS' ? `${message}; a password is sent only with TLS` : message;
    super('MAIL_NOT_SENT', `the mail was not sent: ${withoutAddresses(detail, to)}`, {
      remedy: 'Check SMTP_URL and the log of the mail server.',
      cause,
    });
    const isAboutMail = ['RCPT TO', 'DATA'].includes(command);
    this.isFinal = isAboutMail && responseCode >= REFUSED_FOR_GOOD;
    this.reason = isAboutMail && response ? withoutAddresses(response, to) : 'the mail server is not available';
  }
}

/** Reports whether the mail server rejected the mail or its recipient permanently, so that a retry is useless. */
export const isRefusedForGood = (error: unknown): boolean => error instanceof MailNotSent && error.isFinal;

/** A response of a mail server as one short line, without the addresses that it names besides the recipient. */
const withoutAddresses = (text: string, to: string): string =>
  toSingleLine(text)
    .slice(0, MAX_REASON_LENGTH)
    .split(/([\s<>()[\]{},;:"'=]+)/)
    .map((word) => (word.includes('@') && word.toLowerCase() !== to.toLowerCase() ? '[address]' : word))
    .join('');

/** Prepares user text, such as names, for a mail: one line, without characters that change the writing direction. */
export const toSingleLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .toWellFormed();
