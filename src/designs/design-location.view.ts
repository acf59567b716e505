import { TextField, WordField } from '../core/schema/view-fields.js';
import type { DesignLocation } from './design.entity.js';

/** Where a content came from. */
export class DesignLocationView implements DesignLocation {
  @WordField(['upload', 'url', 'inline', 'clone', 'cluster'], { rest: true, description: 'How it was sent.' })
  type!: DesignLocation['type'];

  @TextField({ rest: true, description: 'Of a URL.' })
  host!: string;

  @TextField({ rest: true, description: 'The path of a URL, the name of a file, or connection and namespace.' })
  path!: string;

  @TextField({ rest: true, description: 'Of a repository.' })
  branch!: string;
}
