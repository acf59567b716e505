/** The topic of what changes profiles, runs and their progress; its messages are `PerformanceNotice`s. */
export const PERFORMANCE_TOPIC = 'performance';

/** Reports a change in an organization, without its content, which subscribers read. */
export interface PerformanceNotice {
  organizationId: string;
}
