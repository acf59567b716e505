import { PaginatedView } from '../../core/listing/page.js';
import { RecordView } from '../../core/schema/record.view.js';
import { FlagField, IdField, TextField, TimeField } from '../../core/schema/view-fields.js';
import { findNextTimes } from './freeze-windows.js';
import type { Freeze } from './freeze.entity.js';

export class FreezeView extends RecordView {
  @TextField()
  name!: string;

  @IdField()
  environment_id!: string;

  @IdField()
  organization_id!: string;

  @TimeField({ description: 'When the first window starts.' })
  starts_at!: Date;

  @TimeField({ description: 'When the first window ends.' })
  ends_at!: Date;

  @TextField({ nullable: true, description: 'The recurrence rule of RFC 5545; null when it comes once.' })
  recurrence!: string | null;

  @TextField({ description: 'The IANA time zone in which the windows recur.' })
  timezone!: string;

  @TextField({ description: 'The reason that refused deployments report.' })
  message!: string;

  @FlagField({ description: 'Whether a window is in effect now.' })
  active!: boolean;

  @TimeField({ nullable: true, description: 'When the next window starts; null when none comes.' })
  next_starts_at!: Date | null;

  @TimeField({
    nullable: true,
    description: 'When a window ends next: the one in effect, else the next one; null when none comes.',
  })
  next_ends_at!: Date | null;

  static fromEntity(this: void, freeze: Freeze): FreezeView {
    const { activeUntil, nextStartsAt, nextEndsAt } = findNextTimes(freeze, new Date());
    return RecordView.assignRecord(new FreezeView(), freeze, {
      name: freeze.name,
      environment_id: freeze.environmentId,
      organization_id: freeze.organizationId,
      starts_at: freeze.startsAt,
      ends_at: freeze.endsAt,
      recurrence: freeze.recurrence,
      timezone: freeze.timezone,
      message: freeze.message,
      active: activeUntil !== null,
      next_starts_at: nextStartsAt,
      next_ends_at: nextEndsAt,
    });
  }
}

export const FreezePage = PaginatedView(FreezeView, 'freezes', 'FreezePage');
