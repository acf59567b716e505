import { InvalidRequest } from '../../core/errors/app-error.js';

/** Disabled entries are stored, but left out of lists, validation and generation. */
export const ENTRY_STATUSES = ['enabled', 'disabled'] as const;
export type EntryStatus = (typeof ENTRY_STATUSES)[number];

/** Existing clients write `ignored` for disabled. */
export const STATUS_INPUTS = [...ENTRY_STATUSES, 'ignored'] as const;

export const parseStatus = (word: (typeof STATUS_INPUTS)[number]): EntryStatus =>
  word === 'enabled' ? word : 'disabled';

/**
 * The statuses that a list is filtered by: enabled by default, null for all.
 * @throws InvalidRequest
 */
export function parseStatusFilter(word: string | undefined, preset: EntryStatus | null): EntryStatus | null {
  if (!word) return preset;
  if (word === 'all') return null;
  const known = STATUS_INPUTS.find((each) => each === word);
  if (!known) throw InvalidRequest.forField('status', `must be one of ${STATUS_INPUTS.join(', ')}, all`);
  return parseStatus(known);
}
