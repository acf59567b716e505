import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { WordInput } from '../../core/schema/input-fields.js';
import { type Theme, THEMES } from '../../designs/diagram/palette.js';

/** The style of a chart. */
export class ChartQuery {
  @WordInput(THEMES, { optional: true, description: 'Colours; auto (the default) follows the settings of the reader.' })
  theme?: Theme;
}

/** Selects the results to compare. */
export class CompareQuery extends ChartQuery {
  @ApiPropertyOptional({
    format: 'uuid',
    description: 'The baseline result; default: the one that the profile of b names, or its last good one before b.',
  })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  a?: string;

  @ApiProperty({ format: 'uuid', description: 'The result that is compared to a.' })
  @IsUUID('all', { message: 'must be a UUID' })
  b!: string;
}
