import { InputForms } from '../../core/schema/field-examples.js';
import { definedFields, nullToEmpty, UpdatesView } from '../../core/rest/read-only-fields.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { NameInput, TextInput, TimeInput } from '../../core/schema/input-fields.js';
import type { Freeze } from './freeze.entity.js';
import { FreezeView } from './freeze.view.js';

const MAX_MESSAGE = 1_000;
const MAX_RULE = 500;
const DEFAULT_TIMEZONE = 'UTC';
const RECURRENCE = 'A recurrence rule of RFC 5545 of days, such as `FREQ=WEEKLY;BYDAY=FR`.';
const TIMEZONE = 'An IANA time zone, such as `Europe/Berlin`; UTC when it is left out.';

@UpdatesView(() => FreezeView)
@InputForms({
  once: { name: 'holidays', starts_at: '2026-12-24T00:00:00Z', ends_at: '2027-01-02T00:00:00Z' },
  recurring: {
    name: 'weekend',
    starts_at: '2027-01-08T17:00:00+01:00',
    ends_at: '2027-01-11T07:00:00+01:00',
    recurrence: 'FREQ=WEEKLY;BYDAY=FR',
    timezone: 'Europe/Berlin',
  },
})
export class NewFreeze {
  @NameInput()
  name!: string;

  @TimeInput()
  starts_at!: string;

  @TimeInput()
  ends_at!: string;

  @TextInput({ clearable: true, max: MAX_RULE, description: RECURRENCE })
  recurrence?: string | null;

  @TextInput({ clearable: true, max: 100, description: TIMEZONE })
  timezone?: string | null;

  @TextInput({ clearable: true, max: MAX_MESSAGE })
  message?: string | null;

  /** The columns of a new freeze. */
  fields(): Pick<Freeze, 'name' | 'startsAt' | 'endsAt' | 'recurrence' | 'timezone' | 'message'> {
    return {
      name: this.name,
      startsAt: new Date(this.starts_at),
      endsAt: new Date(this.ends_at),
      recurrence: this.recurrence ?? null,
      timezone: this.timezone ?? DEFAULT_TIMEZONE,
      message: this.message ?? '',
    };
  }
}

@UpdatesView(() => FreezeView)
@InputForms({ extend: { ends_at: '2027-01-11T07:00:00+01:00' } })
export class FreezeChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @TimeInput({ optional: true })
  starts_at?: string;

  @TimeInput({ optional: true })
  ends_at?: string;

  @TextInput({ clearable: true, max: MAX_RULE, description: RECURRENCE })
  recurrence?: string | null;

  @TextInput({ clearable: true, max: 100, description: TIMEZONE })
  timezone?: string | null;

  @TextInput({ clearable: true, max: MAX_MESSAGE })
  message?: string | null;

  /** The columns that this input sets. */
  fields(): Partial<Freeze> {
    return definedFields({
      name: this.name,
      startsAt: this.starts_at === undefined ? undefined : new Date(this.starts_at),
      endsAt: this.ends_at === undefined ? undefined : new Date(this.ends_at),
      recurrence: this.recurrence,
      timezone: nullToEmpty(this.timezone, DEFAULT_TIMEZONE),
      message: nullToEmpty(this.message, ''),
    });
  }
}
