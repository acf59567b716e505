import { type RuleLine, type RuleLines } from '../health-rule.js';

/** Kinds whose condition `Ready` is all that there is to say. */
export const READY: RuleLines = [
  ['Degraded', { Ready: 'False' }],
  ['Healthy', { Ready: 'True' }],
];

export const SUSPENDED: RuleLine = ['Suspended', { '/spec/suspend': true }, 'It is suspended'];
export const PAUSED: RuleLine = ['Suspended', { '/spec/paused': true }, 'It is paused'];

/** Nothing is known before its controller has written a status. */
export const UNREPORTED: RuleLine = ['Progressing', { '/status': null }];

/** By a word of the status; other words are `Progressing`. */
export function byWord(pointer: string, words: Partial<Record<RuleLine[0], string | string[]>>): RuleLines {
  return Object.entries(words).map(([status, found]): RuleLine => [status as RuleLine[0], { [pointer]: found }]);
}

/**
 * Custom kinds without a rule of their own, by kstatus: `Reconciling`, `Stalled` and `Ready`. Beyond it, `Degraded` and `Failed` are
 * taken at their word, and `Available` where there is no `Ready`.
 */
export const KSTATUS: RuleLines = [
  ['Progressing', { Reconciling: 'True' }],
  ['Degraded', { Stalled: 'True' }, { isFinal: true }],
  ['Degraded', { Degraded: 'True' }],
  ['Degraded', { Failed: 'True' }],
  ['Healthy', { Ready: 'True' }],
  ['Progressing', { Ready: { not: 'True' } }],
  ['Progressing', { Available: { not: 'True' } }],
  ['Healthy', {}],
];
