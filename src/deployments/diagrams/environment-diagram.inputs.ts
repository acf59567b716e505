import { ApiPropertyOptional } from '@nestjs/swagger';
import { QueryText } from '../../core/listing/list-query.js';
import { WordInput } from '../../core/schema/input-fields.js';
import { type Theme, THEMES } from '../../designs/diagram/palette.js';

export class EnvironmentDiagramQuery {
  @WordInput(THEMES, { optional: true, description: 'Colours; auto (the default) follows the settings of the reader.' })
  theme?: Theme;

  @ApiPropertyOptional({ description: 'Draws this namespace only.', example: 'shop' })
  @QueryText('search')
  namespace?: string;
}
