/** The topic of what changes profiles, runs and their progress; its messages are `PerformanceNotice`s. */
export const PERFORMANCE_TOPIC = 'performance';

/** That something of an organization has changed; what it is, subscribers read for themselves. */
export interface PerformanceNotice {
  organizationId: string;
}
