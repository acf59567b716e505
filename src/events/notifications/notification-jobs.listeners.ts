import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service.js';
import { NotificationsStore } from './inbox/notifications.store.js';

const CLEAN_MS = 60 * 60 * 1000;

/** How the jobs of notifications are done. */
@Injectable()
export class NotificationJobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly notifications: NotificationsStore,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('notification-marks', CLEAN_MS, () => this.notifications.deleteOldMarks());
  }
}
