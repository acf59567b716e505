import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import nodemailer, { type Transporter } from 'nodemailer';
import { Env } from '../config/env.js';

/** A letter in plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

const TIMEOUT_MS = 10_000;

/** The one way to send mail: through the server of SMTP_URL, from MAIL_FROM. */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private readonly logger = new Logger(Mailer.name);
  private readonly transport: Transporter | null;
  private readonly pending = new Set<Promise<void>>();

  constructor(private readonly env: Env) {
    this.transport = env.SMTP_URL
      ? nodemailer.createTransport({
          url: env.SMTP_URL,
          connectionTimeout: TIMEOUT_MS,
          greetingTimeout: TIMEOUT_MS,
          socketTimeout: TIMEOUT_MS,
          disableFileAccess: true,
          disableUrlAccess: true,
        })
      : null;
  }

  /** Whether this installation sends mail at all. */
  get isConfigured(): boolean {
    return this.transport !== null;
  }

  /** @throws Error when the mail server does not take it, or none is configured */
  async send(mail: Mail): Promise<void> {
    if (!this.transport) throw new Error('SMTP_URL is not set');
    await this.transport.sendMail({ from: this.env.MAIL_FROM, ...mail, subject: toSingleLine(mail.subject) });
  }

  /** Sends without letting the caller wait; a failure is logged, without the letter. Nothing happens without a mail server. */
  sendInBackground(mail: Mail): void {
    if (!this.transport) return;
    const sent: Promise<void> = this.send(mail)
      .catch((error: unknown) => this.logger.warn(`a mail was not sent: ${describeMailError(error)}`))
      .finally(() => this.pending.delete(sent));
    this.pending.add(sent);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pending);
    this.transport?.close();
  }
}

const toSingleLine = (text: string): string => text.replace(/\s+/g, ' ');

/** What mail servers answer may repeat the letter; their codes do not. */
const describeMailError = (error: unknown): string => {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return [code, responseCode].filter(Boolean).join(' ') || 'the mail server failed';
};
