import { ApiPropertyOptional, ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsISO8601,
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
import { FlagInput, MapInput, TextInput, WordInput } from '../../../core/schema/input-fields.js';
import { type WebhookFormat, WEBHOOK_FORMATS } from '../formats/webhook-format.js';
import { WebhookView } from './webhook.view.js';

const MAX_KINDS = 100;
const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 4_096;
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/i;
/** Headers that belong to the connection, to the body or to the signature. */
const RESERVED_HEADER =
  /^(webhook-|ce-|proxy-|sec-)|^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-.*|user-agent)$/i;

/** Kinds that may be asked for: those that are published, and the one that the contract shows besides. */
const KINDS = new Set(['policy.violation', ...listEventKinds().map(({ kind }) => kind)]);
const CATEGORIES = new Set([...KINDS].map((kind) => kind.slice(0, kind.indexOf('.'))));

function isKindPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return value === '*' || KINDS.has(value) || (value.endsWith('.*') && CATEGORIES.has(value.slice(0, -2)));
}

function isHeaderMap(value: unknown): boolean {
  const entries = Object.entries(value ?? {});
  return entries.length <= MAX_HEADERS && entries.every(([name, text]) => isCustomHeader(name, text));
}

const isCustomHeader = (name: string, text: unknown): boolean =>
  HEADER_NAME.test(name) &&
  !RESERVED_HEADER.test(name) &&
  typeof text === 'string' &&
  text.length <= MAX_HEADER_LENGTH &&
  /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

const rule = (name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator =>
  ValidateBy({ name, validator: { validate, defaultMessage: () => message } });

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
    rule(
      'isKindPattern',
      (value) => Array.isArray(value) && value.every(isKindPattern),
      'must be kinds that GET /api/events/types lists, <category>.* or *',
    )(target, key);
  };

/** What an endpoint may have besides its address and its events. */
class WebhookOptions extends UpdateInput {
  @ApiPropertyOptional({
    enum: SEVERITIES,
    isArray: true,
    description: 'Only events of these severities; all when empty.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsArray({ message: 'must be a list of severities' })
  @ArrayMaxSize(SEVERITIES.length, { message: `must have at most ${SEVERITIES.length} severities` })
  @IsIn(SEVERITIES, { each: true, message: `must be some of ${SEVERITIES.join(', ')}` })
  severities?: Severity[];

  @WordInput(WEBHOOK_FORMATS, { optional: true, description: 'How events are written.' })
  format?: WebhookFormat;

  @MapInput({ optional: true, description: 'Headers that every delivery carries; they are sealed and never shown.' })
  @rule(
    'isHeaderMap',
    (value) => value === undefined || isHeaderMap(value),
    `must be at most ${MAX_HEADERS} names with texts of at most ${MAX_HEADER_LENGTH} characters, none of them reserved`,
  )
  headers?: Record<string, string>;

  @ApiPropertyOptional({
    description: 'The integration key of PagerDuty, for the format `pagerduty`; it is sealed and never shown.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @Matches(/^[\x21-\x7e]+$/, { message: 'must be an integration key' })
  @Length(1, 255, { message: 'must have 1 to 255 characters' })
  routing_key?: string;

  @FlagInput({ optional: true, description: 'Whether events are sent.' })
  enabled?: boolean;

  @TextInput({ optional: true, max: 1_000 })
  description?: string;
}

@UpdatesView(() => WebhookView)
export class NewWebhook extends WebhookOptions {
  @TextInput({ max: 2_000, description: 'Where events are sent: an http or https address.' })
  url!: string;

  @KindsInput(false)
  events!: string[];
}

@UpdatesView(() => WebhookView)
export class WebhookChange extends WebhookOptions {
  @TextInput({ optional: true, max: 2_000, description: 'Where events are sent: an http or https address.' })
  url?: string;

  @KindsInput(true)
  events?: string[];
}

const RECOVERED = ['failed', 'all'] as const;

/** Which deliveries are sent again. */
export class Recovery {
  @ApiProperty({ format: 'date-time', description: 'Deliveries that were made at this time or later.' })
  @IsISO8601({ strict: true }, { message: 'must be a time in ISO 8601' })
  since!: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Deliveries that were made before this time.' })
  @IsOptional()
  @IsISO8601({ strict: true }, { message: 'must be a time in ISO 8601' })
  until?: string;

  @WordInput(RECOVERED, { optional: true, description: 'Those that failed, or all of them.' })
  status?: (typeof RECOVERED)[number];
}
