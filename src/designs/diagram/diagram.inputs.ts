import { patternOfWords } from '../../core/listing/words.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { parseInteger, QueryText } from '../../core/listing/list-query.js';
import { Repeatable } from '../../core/schema/repeatable.js';
import { WordInput } from '../../core/schema/input-fields.js';
import { HIDDEN_CATEGORIES, type Hideable } from './narrow-diagram.js';
import { type Theme, THEMES } from './palette.js';
import { type DiagramOptions } from './render-diagram.js';

const HIDEABLE = Object.keys(HIDDEN_CATEGORIES) as Hideable[];
const MAX_DEPTH = 20;

export class DiagramQuery {
  @WordInput(THEMES, { optional: true, description: 'Colours; auto (the default) follows the settings of the reader.' })
  theme?: Theme;

  @ApiPropertyOptional({
    type: String,
    pattern: patternOfWords(HIDEABLE),
    description: `Elements to leave out, separated by commas or repeated: ${HIDEABLE.join(', ')}.`,
    example: HIDEABLE.join(','),
  })
  @IsOptional()
  @Repeatable()
  hide?: string | string[];

  @ApiPropertyOptional({
    description:
      'Draws only the surroundings of this component: its id, its name, or Kind/name; the name of a namespace or of a Compose service selects all of it.',
  })
  @QueryText('search')
  focus?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_DEPTH,
    default: 1,
    description: 'The maximum distance from the focus, in relationships.',
  })
  @IsOptional()
  depth?: string;

  /** @throws InvalidRequest naming the parameter that is wrong */
  toOptions(): DiagramOptions {
    if (this.depth !== undefined && !this.focus)
      throw InvalidRequest.forField('depth', 'needs a focus', 'Send focus=<component> with it.');
    return {
      theme: this.theme ?? 'auto',
      hide: parseHidden(this.hide),
      focus: this.focus || undefined,
      depth: parseInteger('depth', this.depth, 1, 0, MAX_DEPTH),
    };
  }
}

function parseHidden(given: string | string[] = []): Hideable[] {
  const words = [given]
    .flat()
    .flatMap((text) => text.split(','))
    .map((word) => word.trim())
    .filter(Boolean);
  const hidden = HIDEABLE.filter((word) => words.includes(word));
  if (hidden.length === new Set(words).size) return hidden;
  throw InvalidRequest.forField('hide', `must be some of ${HIDEABLE.join(', ')}`);
}
