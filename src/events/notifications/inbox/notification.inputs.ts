import { EXAMPLE_ID, InputForms } from '../../../core/schema/field-examples.js';
import { ArgsType, Field } from '@nestjs/graphql';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsOptional, IsUUID } from 'class-validator';
import { InvalidRequest } from '../../../core/errors/app-error.js';
import { ListArgs, MAX_PAGE_SIZE, OrganizationListQuery } from '../../../core/listing/list-query.js';
import { WordParameter } from '../../../core/listing/words.js';
import { UpdateInput } from '../../../core/rest/input.pipe.js';
import { UpdatesView } from '../../../core/rest/read-only-fields.js';
import { FlagInput, WordInput } from '../../../core/schema/input-fields.js';
import { EVENT_STATUSES, type EventStatus } from '../../event.view.js';
import { NotificationView } from './notification.view.js';

export class NotificationListQuery extends OrganizationListQuery {
  @WordParameter(['true', 'false'], 'Only those that the caller has not read.')
  unread?: string;
}

@ArgsType()
export class NotificationListArgs extends ListArgs {
  @Field(() => Boolean, { nullable: true, description: 'Only those that the caller has not read.' })
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  unread?: boolean | null;

  override toListQuery(): NotificationListQuery {
    const query = Object.assign(new NotificationListQuery(), super.toListQuery());
    return Object.assign(query, this.unread ? { unread: 'true' } : {});
  }
}

@UpdatesView(() => NotificationView)
@InputForms({ example: { status: 'read' } })
export class NotificationChange extends UpdateInput {
  @WordInput(EVENT_STATUSES)
  status!: EventStatus;
}

@InputForms({ all: { all: true }, some: { ids: [EXAMPLE_ID], status: 'read' } })
export class NotificationsChange {
  @WordInput(EVENT_STATUSES, { optional: true, description: 'Default: read.' })
  status?: EventStatus;

  @ApiPropertyOptional({ type: String, format: 'uuid', isArray: true, maxItems: MAX_PAGE_SIZE })
  @IsOptional()
  @IsArray({ message: 'must be a list of ids' })
  @ArrayMaxSize(MAX_PAGE_SIZE, { message: `must have at most ${MAX_PAGE_SIZE} ids` })
  @IsUUID('all', { each: true, message: 'must be a list of UUIDs' })
  ids?: string[];

  @FlagInput({ optional: true, description: 'Marks all notifications as read.' })
  all?: boolean;

  /** @throws InvalidRequest unless it names ids, or all of them as read */
  parse(): { status: EventStatus; ids: string[] | 'all' } {
    const { status = 'read', ids, all = false } = this;
    if ((ids !== undefined && ids !== null) === all)
      throw InvalidRequest.forField('/ids', 'must be given, or all must be true, and not both');
    if (!all) return { status, ids: ids ?? [] };
    if (status !== 'read') throw InvalidRequest.forField('/status', 'must be read for all of them');
    return { status, ids: 'all' };
  }
}
