import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MAIL_PLACES } from '../../core/mail/mail-places.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { NotificationsStore } from './inbox/notifications.store.js';
import { MAIL_QUEUE, MAIL_REQUESTS_QUEUE, MailRequestsService } from './mail/mail-requests.service.js';
import { MailSettings } from './mail/mail-settings.js';
import type { MailKey } from './mail/notification-mails.store.js';
import { NotificationMailsService } from './mail/notification-mails.service.js';

const CLEAN_MS = 60 * 60 * 1000;

/** Registers the jobs of notifications. */
@Injectable()
export class NotificationJobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly notifications: NotificationsStore,
    private readonly requests: MailRequestsService,
    private readonly mails: NotificationMailsService,
    private readonly times: MailSettings,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler(MAIL_REQUESTS_QUEUE, {
      concurrency: 1,
      handle: (_, { signal }) => this.requests.run(signal),
    });
    this.jobs.registerHandler<MailKey>(MAIL_QUEUE, {
      ...MAIL_PLACES,
      handle: (job, context) => this.mails.run(job, context),
    });
    this.jobs.schedule('notification-mail-sweep', this.times.sweepMs, () => this.requests.sweep());
    this.jobs.schedule('notification-marks', CLEAN_MS, () => this.notifications.deleteOldMarks());
  }
}
