import { changedFields } from './changed-fields.js';
import { parseTimestamp } from './timestamp-text.js';

it('leaves what was not sent, and what is there already', () => {
  const record = {
    name: 'a',
    note: null as string | null,
    at: parseTimestamp('2026-11-23 02:30:00.123+00'),
    data: { b: [1, null] },
    bytes: Buffer.from('x'),
  };
  const same = { ...record, at: new Date('2026-11-23T02:30:00.123Z'), data: { b: [1, null] }, bytes: Buffer.from('x') };
  expect(changedFields(record, same)).toEqual({});
  expect(changedFields(record, { name: undefined })).toEqual({});
  const other = { name: 'b', note: '', at: new Date(0), data: { b: [1] }, bytes: Buffer.from('y') };
  expect(changedFields(record, other)).toEqual(other);
  const never: { at: Date | null } = { at: null };
  expect(changedFields(never, { at: new Date(0) })).toEqual({ at: new Date(0) });
});
