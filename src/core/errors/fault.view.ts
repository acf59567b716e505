import { IntField, TextField } from '../schema/view-fields.js';
import type { Fault } from './app-error.js';

/** One fault of the input, as listed in responses. */
export class FaultView implements Fault {
  @TextField({ rest: true, optional: true, description: 'JSON Pointer (RFC 6901), or the name of a parameter.' })
  pointer?: string;

  @TextField({ rest: true, description: 'What is wrong.' })
  detail!: string;

  @TextField({ rest: true, optional: true, description: 'What can be done about it.' })
  remedy?: string;

  @TextField({ rest: true, optional: true, description: 'The file of an upload that it is in.' })
  file?: string;

  @IntField({ rest: true, optional: true, description: 'Counted from 1.' })
  line?: number;

  @IntField({ rest: true, optional: true, description: 'Counted from 1.' })
  column?: number;

  @TextField({ rest: true, optional: true, description: 'The violated rule.' })
  keyword?: string;
}
