import { Injectable } from '@nestjs/common';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The times of mails, in milliseconds. */
@Injectable()
export class MailSettings {
  /** The period whose events are combined in an immediate mail. */
  settleMs = 5 * SECOND;
  /** A user gets no more than one such mail in so long. */
  intervalMs = MINUTE;
  /** A claimed mail of which nothing was heard is sent by another process; longer than sending one may take. */
  claimMs = 11 * MINUTE;
  firstRetryMs = 30 * SECOND;
  longestRetryMs = 2 * HOUR;
  /** So often a mail is tried, over some 10 hours. */
  maxAttempts = 13;
  /** How often it is looked for what is due. */
  sweepMs = 10 * SECOND;
}
