import { InputForms } from '../../../core/schema/field-examples.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, IsUUID, Matches, ValidateBy } from 'class-validator';
import { type Fault, InvalidRequest, MAX_FAULTS } from '../../../core/errors/app-error.js';
import { EVENT_CATEGORIES } from '../../../core/events/event-kinds.js';

import { escapePointerSegment } from '../../../core/json/storable-json.js';
import { UpdateInput } from '../../../core/rest/input.pipe.js';
import { UpdatesView } from '../../../core/rest/read-only-fields.js';
import { MapInput } from '../../../core/schema/input-fields.js';
import { isTimezone } from '../../../core/calendar/time-zone.js';
import { type CategoryPreference, EMAIL_FREQUENCIES } from '../notification-preferences.js';
import { NotificationSettingsView } from './notification-settings.view.js';

const MAX_MUTED = 500;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;
const PREFERENCE = {
  type: ['object', 'null'],
  properties: { in_app: { type: 'boolean' }, email: { type: 'string', enum: EMAIL_FREQUENCIES } },
  additionalProperties: false,
};

@UpdatesView(() => NotificationSettingsView)
@InputForms({ example: { categories: { deployment: { email: 'daily' } } } })
export class NotificationSettingsChange extends UpdateInput {
  @MapInput({
    optional: true,
    description: 'The categories to change, each with `in_app`, `email` or both; null for its default.',
    members: Object.fromEntries(EVENT_CATEGORIES.map((category) => [category, PREFERENCE])),
  })
  categories?: Record<string, unknown>;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Europe/Berlin', description: 'null for UTC.' })
  @IsOptional()
  @ValidateBy({
    name: 'isTimezone',
    validator: {
      validate: (value) => typeof value === 'string' && isTimezone(value),
      defaultMessage: () => 'must be an IANA time zone, such as Europe/Berlin',
    },
  })
  timezone?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    pattern: TIME_OF_DAY.source,
    example: '08:00',
    description: 'null for 08:00.',
  })
  @IsOptional()
  @IsString({ message: 'must be a time of day, as HH:MM' })
  @Matches(TIME_OF_DAY, { message: 'must be a time of day, as HH:MM' })
  digest_at?: string | null;

  @ApiPropertyOptional({ type: String, format: 'uuid', isArray: true, nullable: true, maxItems: MAX_MUTED })
  @IsOptional()
  @IsArray({ message: 'must be a list of ids' })
  @ArrayMaxSize(MAX_MUTED, { message: `must have at most ${MAX_MUTED} ids` })
  @IsUUID('all', { each: true, message: 'must be a list of UUIDs' })
  muted_workspaces?: string[] | null;

  /** @throws InvalidRequest with all faults of the categories */
  parseCategories(): Record<string, Partial<CategoryPreference> | null> {
    const faults: Fault[] = [];
    for (const [category, value] of Object.entries(this.categories ?? {})) {
      if (faults.length >= MAX_FAULTS) break;
      faults.push(...listCategoryFaults(category, value));
    }
    if (faults.length > 0)
      throw new InvalidRequest(faults.map(({ pointer, detail }) => `${pointer?.slice(1)} ${detail}`).join('; '), {
        errors: faults,
        remedy: 'GET /api/events/types lists the categories.',
      });
    return (this.categories ?? {}) as Record<string, Partial<CategoryPreference> | null>;
  }
}

function listCategoryFaults(category: string, value: unknown): Fault[] {
  const pointer = `/categories/${escapePointerSegment(category.slice(0, 100))}`;
  if (!EVENT_CATEGORIES.includes(category)) return [{ pointer, detail: 'is not a category of events' }];
  if (value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return [{ pointer, detail: 'must be an object or null' }];
  return Object.entries(value)
    .slice(0, MAX_FAULTS)
    .flatMap(([key, setting]) => {
      const detail = findPreferenceFault(key, setting);
      return detail ? [{ pointer: `${pointer}/${escapePointerSegment(key.slice(0, 100))}`, detail }] : [];
    });
}

function findPreferenceFault(key: string, value: unknown): string | null {
  if (key === 'in_app') return typeof value === 'boolean' ? null : 'must be true or false';
  if (key !== 'email') return 'is not a field of a category; these are in_app and email';
  return (EMAIL_FREQUENCIES as readonly unknown[]).includes(value)
    ? null
    : `must be one of ${EMAIL_FREQUENCIES.join(', ')}`;
}
