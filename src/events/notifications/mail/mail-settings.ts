import { Injectable } from '@nestjs/common';
import { FIRST_RETRY_MS, MAIL_ATTEMPTS, LONGEST_RETRY_MS } from '../../../core/mail/mail-retries.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The delays and limits of mails; times in milliseconds. */
@Injectable()
export class MailSettings {
  /** The period whose events are combined in an immediate mail. */
  settleMs = 5 * SECOND;
  /** The minimum interval between two immediate mails to a user. */
  intervalMs = MINUTE;
  /** When a claim expires, so that another process sends the mail; longer than sending may take. */
  claimMs = 11 * MINUTE;
  firstRetryMs = FIRST_RETRY_MS;
  longestRetryMs = LONGEST_RETRY_MS;
  maxAttempts = MAIL_ATTEMPTS;
  /** The interval of the sweep for due mails. */
  sweepMs = 10 * SECOND;
}
