import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
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
  private readonly transport: Transporter | null;

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

  onApplicationShutdown(): void {
    this.transport?.close();
  }
}

const toSingleLine = (text: string): string => text.replace(/\s+/g, ' ');
