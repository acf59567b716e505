import type { Burst } from './bursts.store.js';

/** Actions that are phrased as "user verb noun". */
const VERBS = new Set([
  ...[
    'created',
    'imported',
    'updated',
    'moved',
    'cloned',
    'published',
    'unpublished',
    'deleted',
    'restored',
    'archived',
  ],
  ...['rotated', 'added', 'removed', 'invited', 'requested', 'started', 'cancelled', 'approved', 'rejected'],
]);

const PHRASES: Record<string, (count: number) => string> = {
  'workspace.environment_assigned': (count) => `assigned ${count} environments`,
  'workspace.environment_unassigned': (count) => `unassigned ${count} environments`,
  'workspace.quota_changed': (count) => `changed the quotas ${count} times`,
  'environment.connection_added': (count) => `added ${count} connections`,
  'environment.connection_removed': (count) => `removed ${count} connections`,
  'member.role_changed': (count) => `changed roles of members ${count} times`,
  'connection.status_changed': (count) => `changed the status of connections ${count} times`,
  'deployment.success': (count) => `had ${count} deployments succeed`,
  'deployment.failure': (count) => `had ${count} deployments fail`,
  'deployment.rolled_back': (count) => `rolled back ${count} deployments`,
  'deployment.undeployed': (count) => `undeployed ${count} designs`,
  'policy.violation': (count) => `met ${count} policy violations`,
};

/** Describes a burst in one sentence, such as "alice imported 12 designs". */
export function describeBurst({ category, action, userName, count, subjects }: Burst): string {
  const who = userName ?? 'The system';
  const phrase = PHRASES[`${category}.${action}`];
  if (phrase) return `${who} ${phrase(count)}`;
  if (!VERBS.has(action)) return `${who}: ${count} times ${category} ${action.replaceAll('_', ' ')}`;
  if (subjects === 1) return `${who} ${action} one ${category} ${count} times`;
  return `${who} ${action} ${subjects} ${toPlural(category)}`;
}

const toPlural = (noun: string): string => (noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`);
