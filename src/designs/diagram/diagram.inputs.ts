import { WordInput } from '../../core/schema/input-fields.js';
import { type Theme, THEMES } from './palette.js';

export class DiagramQuery {
  @WordInput(THEMES, { optional: true, description: 'Colours; auto (the default) follows the settings of the reader.' })
  theme?: Theme;
}
