import { InputForms } from '../../../core/schema/field-examples.js';
import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsOptional,
  Length,
  Matches,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { listEventKinds } from '../../../core/events/event-kinds.js';
import { type Severity, SEVERITIES } from '../../../core/events/domain-event.js';
import { UpdateInput } from '../../../core/rest/input.pipe.js';
import { UpdatesView } from '../../../core/rest/read-only-fields.js';
import { IsTime } from '../../../core/schema/is-time.js';
import { FlagInput, MapInput, TextInput, WordInput } from '../../../core/schema/input-fields.js';
import { type WebhookFormat, WEBHOOK_FORMATS } from '../formats/webhook-format.js';
import { findHeaderFault } from './custom-headers.js';
import { WebhookSecretView, WebhookView } from './webhook.view.js';

const MAX_KINDS = 100;
const ROUTING_KEY = /^[\x21-\x7e]+$/;
const MAX_SHOWN = 100;
/** The valid kinds: those that are published, and one more that the API contract defines. */
const KINDS = new Set(['policy.violation', ...listEventKinds().map(({ kind }) => kind)]);
const CATEGORIES = new Set([...KINDS].map((kind) => kind.slice(0, kind.indexOf('.'))));

function isKindPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return value === '*' || KINDS.has(value) || (value.endsWith('.*') && CATEGORIES.has(value.slice(0, -2)));
}

/** Names the first invalid kind for the error message. */
function nameUnknown(value: unknown): string {
  const unknown: unknown = Array.isArray(value) ? value.find((each) => !isKindPattern(each)) : undefined;
  return typeof unknown === 'string' ? `, and not ${JSON.stringify(unknown.slice(0, MAX_SHOWN))}` : '';
}

const isHeaderMap = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || findHeaderFault(value) === undefined;

const HeadersInput = (): PropertyDecorator =>
  applyDecorators(
    MapInput({
      clearable: true,
      description: 'Headers that every delivery carries; they are sealed and never shown.',
      values: { type: 'string' },
    }),
    ValidateBy({
      name: 'isHeaderMap',
      validator: {
        validate: isHeaderMap,
        defaultMessage: (argument) => findHeaderFault(Object(argument?.value) as object) ?? '',
      },
    }),
  );

const KindsInput =
  (optional: boolean): PropertyDecorator =>
  (target, key) => {
    ApiProperty({
      type: String,
      isArray: true,
      required: !optional,
      maxItems: MAX_KINDS,
      description: 'Kinds of events: `design.created`, all of a category as `design.*`, or `*`.',
      example: ['deployment.success', 'deployment.failure'],
    })(target, key);
    if (optional) ValidateIf((_, value) => value !== undefined)(target, key);
    IsArray({ message: 'must be a list of kinds of events' })(target, key);
    ArrayMinSize(1, { message: 'must name at least one kind of event' })(target, key);
    ArrayMaxSize(MAX_KINDS, { message: `must have at most ${MAX_KINDS} kinds` })(target, key);
    ValidateBy({
      name: 'isKindPattern',
      validator: {
        validate: (value) => Array.isArray(value) && value.every(isKindPattern),
        defaultMessage: (argument) =>
          `must be kinds that GET /api/events/types lists, <category>.* or *${nameUnknown(argument?.value)}`,
      },
    })(target, key);
  };

/** The optional fields of an endpoint. */
class WebhookOptions extends UpdateInput {
  @ApiPropertyOptional({
    enum: SEVERITIES,
    isArray: true,
    nullable: true,
    description: 'Only events of these severities; all when empty.',
  })
  @IsOptional()
  @IsIn(SEVERITIES, { each: true, message: `must be some of ${SEVERITIES.join(', ')}` })
  @ArrayMaxSize(SEVERITIES.length, { message: `must have at most ${SEVERITIES.length} severities` })
  @IsArray({ message: 'must be a list of severities' })
  severities?: Severity[] | null;

  @WordInput(WEBHOOK_FORMATS, { optional: true, description: 'How events are written.' })
  format?: WebhookFormat;

  @HeadersInput()
  headers?: Record<string, string> | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    pattern: ROUTING_KEY.source,
    description: 'The integration key of PagerDuty, for the format `pagerduty`; it is sealed and never shown.',
  })
  @IsOptional()
  @Matches(ROUTING_KEY, { message: 'must be an integration key' })
  @Length(1, 255, { message: 'must have 1 to 255 characters' })
  routing_key?: string | null;

  @FlagInput({ optional: true, description: 'Whether events are sent.' })
  enabled?: boolean;

  @TextInput({ clearable: true, max: 1_000 })
  description?: string | null;
}

@UpdatesView(() => WebhookView)
@InputForms({
  example: { url: 'https://example.com/hooks' },
  slack: { url: 'https://hooks.slack.com/services/T0/B0/x', format: 'slack' },
})
export class NewWebhook extends WebhookOptions {
  @TextInput({ max: 2_000, description: 'Where events are sent: an http or https address.' })
  url!: string;

  @KindsInput(false)
  events!: string[];
}

/** Accepts `WebhookSecretView`, so that the response with the secret can be sent back. */
@UpdatesView(() => WebhookSecretView)
@InputForms({ example: { enabled: false } })
export class WebhookChange extends WebhookOptions {
  @TextInput({
    optional: true,
    filled: true,
    max: 2_000,
    description: 'Where events are sent: an http or https address.',
  })
  url?: string;

  @KindsInput(true)
  events?: string[];
}

const RECOVERED = ['failed', 'all'] as const;

/** Selects the deliveries to send again. */
@InputForms({ example: { since: '2026-01-01T00:00:00Z' } })
export class Recovery {
  @ApiProperty({ format: 'date-time', description: 'Deliveries that were made at this time or later.' })
  @IsTime()
  since!: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Deliveries that were made before this time.' })
  @IsOptional()
  @IsTime()
  until?: string;

  @WordInput(RECOVERED, { optional: true, description: 'Those that failed, or all of them.' })
  status?: (typeof RECOVERED)[number];
}
