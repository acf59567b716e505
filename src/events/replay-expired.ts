import { AppError, InvalidRequest } from '../core/errors/app-error.js';

/** 410: events after `after` were removed; `oldest` is the first stored number, or the next number when none is stored. */
export function replayExpired(after: bigint, oldest: bigint): AppError {
  const detail = `events after ${after} are no longer kept`;
  return new AppError(410, 'REPLAY_EXPIRED', 'No longer kept', detail, {
    remedy: `Read the current state of what you follow, then resume after ${oldest - 1n}: the oldest event available is ${oldest}.`,
    extensions: { oldest: oldest.toString() },
  });
}

/** 400: no event of the feed has this number yet; it may be from another organization. */
export const notYetGiven = (pointer: string, last: bigint): InvalidRequest =>
  InvalidRequest.forField(
    pointer,
    `is larger than the number of the last event, ${last}`,
    `Send the sequence of an event of this organization, at most ${last}.`,
  );
