import { InputForms } from '../core/schema/field-examples.js';
import { ArgsType, Field, ID } from '@nestjs/graphql';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsEnum, IsOptional, IsString, IsUUID, Matches } from 'class-validator';
import { type Severity, SEVERITIES } from '../core/events/domain-event.js';
import { EVENT_ACTIONS, EVENT_CATEGORIES } from '../core/events/event-kinds.js';
import { MAX_PAGE_SIZE, OrganizationListQuery } from '../core/listing/list-query.js';
import { patternOfWords, WordParameter } from '../core/listing/words.js';
import { WordInput } from '../core/schema/input-fields.js';
import { Repeatable } from '../core/schema/repeatable.js';
import { EVENT_STATUSES, type EventStatus, SeverityEnum } from './event.view.js';

/** Event numbers are strings of digits, because they may exceed the precision of JSON numbers. */
export const EVENT_NUMBER = /^\d{1,18}$/;
const NOT_A_NUMBER = 'must be the number of an event, in digits';

/** A query parameter with one value, several comma-separated values, or repeated. */
const WordsParameter = (description: string, words?: readonly string[]): PropertyDecorator => {
  const api = ApiPropertyOptional({
    type: String,
    description,
    ...(words ? { example: words[0], pattern: patternOfWords(words) } : {}),
  });
  return (target, key) => {
    api(target, key);
    IsOptional()(target, key);
    Repeatable()(target, key);
  };
};

export class EventListQuery extends OrganizationListQuery {
  @WordsParameter('One category or several, separated by commas.', EVENT_CATEGORIES)
  category?: string | string[];

  @WordsParameter('One action or several, separated by commas.', EVENT_ACTIONS)
  action?: string | string[];

  @WordsParameter('One severity or several, separated by commas.', SEVERITIES)
  severity?: string | string[];

  @ApiPropertyOptional({ format: 'uuid', description: 'The record that events are about.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  acted_upon?: string;

  @WordParameter(EVENT_STATUSES, 'Whether the caller has read them.')
  status?: string;

  @ApiPropertyOptional({
    pattern: EVENT_NUMBER.source,
    description: 'Leaves out events up to this number, and those without a number.',
  })
  @IsOptional()
  @Matches(EVENT_NUMBER, { message: NOT_A_NUMBER })
  since?: string;
}

export class EventStreamQuery {
  @ApiPropertyOptional({
    name: 'orgID',
    format: 'uuid',
    description: 'The organization; needed by members of several.',
  })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  organization_id?: string;

  @ApiPropertyOptional({ name: 'workspaceID', format: 'uuid', description: 'Only events of this workspace.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  workspace_id?: string;

  @WordsParameter('One category or several, separated by commas.', EVENT_CATEGORIES)
  category?: string | string[];

  @WordsParameter('One severity or several, separated by commas.', SEVERITIES)
  severity?: string | string[];

  @ApiPropertyOptional({
    pattern: EVENT_NUMBER.source,
    description: 'Begins after this number; Last-Event-ID says the same when a client resumes.',
  })
  @IsOptional()
  @Matches(EVENT_NUMBER, { message: NOT_A_NUMBER })
  after?: string;
}

@ArgsType()
export class EventSubscription {
  @Field(() => ID, { nullable: true, description: 'The organization; needed by members of several.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  organizationID?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only events of this workspace.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  workspaceID?: string | null;

  @Field(() => [SeverityEnum], { nullable: true, description: 'Only events of these severities.' })
  @IsOptional()
  @IsEnum(SeverityEnum, { each: true })
  severity?: Severity[] | null;

  @Field(() => [String], { nullable: true, description: 'Only of these categories.' })
  @IsOptional()
  @IsString({ each: true })
  category?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Begins after this number; missed events of the last 7 days are replayed, as far as they are still kept.',
  })
  @IsOptional()
  @Matches(EVENT_NUMBER, { message: NOT_A_NUMBER })
  after?: string | null;
}

@InputForms({ example: { status: 'read' } })
export class StatusChange {
  @WordInput(EVENT_STATUSES)
  status!: EventStatus;
}

@InputForms({ example: { status: 'read' } })
export class StatusesChange extends StatusChange {
  @ApiProperty({ type: String, format: 'uuid', isArray: true, maxItems: MAX_PAGE_SIZE })
  @IsArray({ message: 'must be a list of ids' })
  @ArrayMaxSize(MAX_PAGE_SIZE, { message: `must have at most ${MAX_PAGE_SIZE} ids` })
  @IsUUID('all', { each: true, message: 'must be a list of UUIDs' })
  ids!: string[];
}
