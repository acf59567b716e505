import { FlagField, TextField, TextsField } from '../core/schema/view-fields.js';

/** A format that designs are imported from; `available` is false while a required program is missing. */
export class DesignTypeView {
  @TextField({ rest: true })
  design_type!: string;

  @TextField({ rest: true })
  source_type!: string;

  @TextsField({ rest: true })
  supported_extensions!: string[];

  @TextField({ rest: true })
  description!: string;

  @FlagField({ rest: true, description: 'False while a required program is missing.' })
  available!: boolean;
}
