import { Injectable } from '@nestjs/common';
import { FIRST_RETRY_MS, MAIL_ATTEMPTS, LONGEST_RETRY_MS } from '../../../core/mail/mail-retries.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The times of mails, in milliseconds. */
@Injectable()
export class MailSettings {
  /** The period whose events are combined in an immediate mail. */
  settleMs = 5 * SECOND;
  /** A user gets no more than one such mail in so long. */
  intervalMs = MINUTE;
  /** A claimed mail of which nothing was heard is sent by another process; longer than sending one may take. */
  claimMs = 11 * MINUTE;
  firstRetryMs = FIRST_RETRY_MS;
  longestRetryMs = LONGEST_RETRY_MS;
  maxAttempts = MAIL_ATTEMPTS;
  /** How often it is looked for what is due. */
  sweepMs = 10 * SECOND;
}
