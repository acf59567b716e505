import { InputForms } from '../../core/schema/field-examples.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID, Matches } from 'class-validator';
import { IdInput, TextInput, TimeInput } from '../../core/schema/input-fields.js';
import { EVENT_NUMBER } from '../event.inputs.js';

const NOT_A_NUMBER = 'must be the number of an event, in digits';

export class EventExportQuery {
  @ApiPropertyOptional({
    pattern: EVENT_NUMBER.source,
    description: 'Begins after this number: that of the last line which was received.',
  })
  @IsOptional()
  @Matches(EVENT_NUMBER, { message: NOT_A_NUMBER })
  after?: string;
}

/** The end of a purge: either a number or a time. */
@InputForms({
  'up to a number': { confirm: 'Example', through: '1200' },
  'before a time': { confirm: 'Example', before: '2026-01-01T00:00:00Z' },
})
export class EventPurge {
  @ApiPropertyOptional({
    pattern: EVENT_NUMBER.source,
    description: 'The number of the last event that is purged, with all before it.',
  })
  @IsOptional()
  @Matches(EVENT_NUMBER, { message: NOT_A_NUMBER })
  through?: string;

  @TimeInput({ optional: true, description: 'Events that happened before this time are purged.' })
  before?: string;

  @TextInput({ max: 255, description: 'The name of the organization, as a confirmation: a purge cannot be undone.' })
  confirm!: string;
}

/** Names the user whose personal data is erased. */
export class EventErasure {
  @IdInput({ description: 'The user whose personal data is erased from events.' })
  @IsUUID('all', { message: 'must be a UUID' })
  user_id!: string;
}
